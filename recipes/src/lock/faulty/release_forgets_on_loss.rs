//! A release that fails forgets what it was to release.

use crate::lock::{Acquired, Lock, LockError, Queue, predecessor};
use crate::{Environment, ZkError, ZooKeeper};

/// *Wrong:* the delete is sent once. When the connection breaks the caller gets the error, but
/// the record of the held node is gone, so the release cannot be tried again; the node stays and
/// the lock with it.
///
/// *Seen:* <https://github.com/apache/curator/issues/1193> (O40, CURATOR-678).
///
/// *Cure:* repeat the delete, in the background if need be, and forget the node only when it is
/// gone.
#[derive(Clone)]
pub struct ReleaseForgetsOnLoss<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for ReleaseForgetsOnLoss<E> {
    in_queue!();

    async fn acquire(&self) -> Result<Acquired, LockError> {
        predecessor::acquire(&self.0).await
    }

    async fn release(&self, lock: Acquired) -> Result<(), LockError> {
        match self.0.env().zookeeper().delete(&lock.path, None).await {
            Ok(()) | Err(ZkError::NoNode) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
