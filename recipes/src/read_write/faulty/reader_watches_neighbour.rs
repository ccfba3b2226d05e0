//! A reader watches the node before its own, of whatever kind.

use crate::Environment;
use crate::lock::Queue;
use crate::read_write::{Access, ReadWrite};

/// *Wrong:* a reader behind a reader behind a writer watches the reader. When the writer leaves nobody tells it: it waits
/// until the other reader has read to the end, so the two do not share.
///
/// *Seen:* the slip of taking the lock's rule for the shared lock's,
/// <https://zookeeper.apache.org/doc/r3.8.0/recipes.html#Shared+Locks>.
///
/// *Cure:* watch the nearest lower node whose name holds `write-`.
#[derive(Clone)]
pub struct ReaderWatchesNeighbour<E: Environment>(Queue<E>);

impl<E: Environment> ReadWrite<E> for ReaderWatchesNeighbour<E> {
    in_queue!();

    fn awaited(access: Access, before: &[String]) -> Option<&String> {
        match access {
            Access::Read if !before.iter().any(|name| Access::Write.is_of(name)) => None,
            Access::Read | Access::Write => before.last(),
        }
    }
}
