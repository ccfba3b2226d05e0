//! A writer waits for writers only.

use crate::Environment;
use crate::lock::Queue;
use crate::read_write::{Access, ReadWrite};

/// *Wrong:* the reader's rule is used for both kinds, so a writer does not see the readers before it and writes while they
/// read.
///
/// *Seen:* the official text has two rules that differ in this one word,
/// <https://zookeeper.apache.org/doc/r3.8.0/recipes.html#Shared+Locks>.
///
/// *Cure:* a writer waits for the nearest lower node of any kind.
#[derive(Clone)]
pub struct WriterMindsWritersOnly<E: Environment>(Queue<E>);

impl<E: Environment> ReadWrite<E> for WriterMindsWritersOnly<E> {
    in_queue!();

    fn awaited(_: Access, before: &[String]) -> Option<&String> {
        before.iter().rfind(|name| Access::Write.is_of(name))
    }
}
