//! A try that fails may leave its node in the queue.

use crate::lock::{Acquired, Lock, LockError, Queue, predecessor};
use crate::{Environment, ZooKeeper};

/// *Wrong:* the clean-up of a failed try is a single delete whose error is swallowed. If the
/// connection breaks at that moment the node stays, and once it is the lowest, the lock is
/// granted to nobody.
///
/// *Seen:* <https://github.com/python-zk/kazoo/issues/732> (O45).
///
/// *Cure:* repeat the delete until it is answered or the session ends.
#[derive(Clone)]
pub struct TryLeavesNode<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for TryLeavesNode<E> {
    in_queue!();

    async fn acquire(&self) -> Result<Acquired, LockError> {
        predecessor::acquire(&self.0).await
    }

    async fn try_acquire(&self) -> Result<Option<Acquired>, LockError> {
        let contender = self.0.join().await?;
        let names = contender.list("faulty: try").await?;
        if contender.position(&names) == Some(0) {
            return contender.granted().map(Some);
        }
        let path = contender.path();
        contender.forget();
        let _ = self.0.env().zookeeper().delete(&path, None).await;
        Ok(None)
    }
}
