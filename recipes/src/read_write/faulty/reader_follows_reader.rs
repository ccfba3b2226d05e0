//! A reader behind a reader takes that one's turn for its own.

use crate::Environment;
use crate::lock::Queue;
use crate::read_write::{Access, ReadWrite};

/// *Wrong:* only the node before the own one is looked at. When it is a reader's, the reader reads; but that other reader
/// may itself be waiting for the writer before it.
///
/// *Seen:* the shortcut from "nearest lower writer" to "nearest lower, if it is a writer" of the official text.
///
/// *Cure:* look through all lower nodes for a writer.
#[derive(Clone)]
pub struct ReaderFollowsReader<E: Environment>(Queue<E>);

impl<E: Environment> ReadWrite<E> for ReaderFollowsReader<E> {
    in_queue!();

    fn awaited(access: Access, before: &[String]) -> Option<&String> {
        before.last().filter(|name| access == Access::Write || Access::Write.is_of(name))
    }
}
