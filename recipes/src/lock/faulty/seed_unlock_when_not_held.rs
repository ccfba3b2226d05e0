//! The lock is released by one who does not hold it.

use std::time::Duration;

use crate::lock::{Acquired, Lock, LockError, Queue, predecessor};
use crate::names::contenders;
use crate::retry::retry;
use crate::{Environment, ZkError, ZooKeeper};

/// *Wrong:* `unlock` stands in a `finally` block and runs also when the lock was not obtained.
/// Without a node of its own it deletes the lowest one: the holder's. The next waiter enters
/// beside the holder.
///
/// *Seen:* slip 8 of the recipe's text, in its native code.
///
/// *Cure:* release what was granted, and only if it was granted.
#[derive(Clone)]
pub struct SeedUnlockWhenNotHeld<E: Environment>(Queue<E>);

impl<E: Environment> SeedUnlockWhenNotHeld<E> {
    /// Deletes the lowest node, whosever it is.
    pub async fn unlock(&self) -> Result<(), LockError> {
        let (env, zk) = (self.0.env(), self.0.env().zookeeper());
        let children = match zk.children(self.0.parent()).await {
            Err(ZkError::NoNode) => return Ok(()),
            children => contenders(children?),
        };
        let Some(lowest) = children.first() else {
            return Ok(());
        };
        let path = self.0.path(lowest);
        match retry(env, "faulty: unlock", &[&path], || zk.delete(&path, None)).await {
            Ok(()) | Err(ZkError::NoNode) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// `try { lock; section } finally { unlock }`. Tells whether the section ran.
    pub async fn with_lock<S: Future<Output = ()>>(
        &self,
        wait: Duration,
        section: impl FnOnce(Acquired) -> S,
    ) -> Result<bool, LockError> {
        let ran = match self.acquire_timeout(wait).await {
            Ok(Some(lock)) => {
                section(lock).await;
                Ok(true)
            }
            Ok(None) => Ok(false),
            Err(error) => Err(error),
        };
        self.unlock().await?;
        ran
    }
}

impl<E: Environment> Lock<E> for SeedUnlockWhenNotHeld<E> {
    in_queue!();

    async fn acquire(&self) -> Result<Acquired, LockError> {
        predecessor::acquire(&self.0).await
    }

    async fn release(&self, _lock: Acquired) -> Result<(), LockError> {
        self.unlock().await
    }
}
