//! A reader watches the first writer instead of the nearest.

use crate::Environment;
use crate::lock::Queue;
use crate::read_write::{Access, ReadWrite};

/// *Wrong:* with several writers before several readers, the departure of each writer wakes all readers, and all but the
/// last time for nothing: a herd. Exclusion is not harmed.
///
/// *Seen:* Curator's `InterProcessReadWriteLock` does so; the official text says the nearest.
///
/// *Cure:* watch the nearest lower node whose name holds `write-`.
#[derive(Clone)]
pub struct ReaderWatchesFirstWriter<E: Environment>(Queue<E>);

impl<E: Environment> ReadWrite<E> for ReaderWatchesFirstWriter<E> {
    in_queue!();

    fn awaited(access: Access, before: &[String]) -> Option<&String> {
        match access {
            Access::Read => before.iter().find(|name| Access::Write.is_of(name)),
            Access::Write => before.last(),
        }
    }
}
