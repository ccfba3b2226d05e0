//! A downgrade puts the read node at the end of the queue.

use crate::lock::{Acquired, LockError, Queue};
use crate::read_write::{Access, ReadWrite};
use crate::{CreateMode, Environment};

/// *Wrong:* the writer makes an ordinary read node, reads on, and gives the write node back. A writer that came in between
/// stands before the read node, and writes.
///
/// *Seen:* what Curator's test `testContendingDowngrading` guards against.
///
/// *Cure:* give the read node the number of the write node.
#[derive(Clone)]
pub struct DowngradeAtTheEnd<E: Environment>(Queue<E>);

impl<E: Environment> ReadWrite<E> for DowngradeAtTheEnd<E> {
    in_queue!();

    async fn downgrade(&self, write: &Acquired) -> Result<Acquired, LockError> {
        let join = self.0.join_as(Access::Read.label(), CreateMode::EphemeralSequential);
        self.0.env().keeping(&[&write.path], join).await?.granted()
    }
}
