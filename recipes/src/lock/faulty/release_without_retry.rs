//! A release does not look at what became of it.

use crate::lock::{Acquired, Lock, LockError, Queue, predecessor};
use crate::{Environment, ZooKeeper};

/// *Wrong:* the delete is sent once and its answer is not looked at. After a lost connection the
/// node may stay, and the caller believes the lock released.
///
/// *Seen:* slips 4 and 22 of the recipe's text, whose `unlock` returns nothing; compare O40.
///
/// *Cure:* repeat the delete after a lost connection until it is answered.
#[derive(Clone)]
pub struct ReleaseWithoutRetry<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for ReleaseWithoutRetry<E> {
    in_queue!();

    async fn acquire(&self) -> Result<Acquired, LockError> {
        predecessor::acquire(&self.0).await
    }

    async fn release(&self, lock: Acquired) -> Result<(), LockError> {
        let _ = self.0.env().zookeeper().delete(&lock.path, None).await;
        Ok(())
    }
}
