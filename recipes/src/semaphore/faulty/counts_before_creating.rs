//! The leases are counted before the own one is made.

use crate::lock::{Acquired, LockError, Queue};
use crate::names::{contenders, join};
use crate::retry::retry;
use crate::semaphore::{Semaphore, join_leases};
use crate::{Environment, Watch, ZooKeeper};

/// *Wrong:* count, and when there is room, create. Two who count before either creates both find room for one. The lock
/// around both steps is missing, and after the create there is no second count.
///
/// *Seen:* check-then-act; the mutex of Curator's `InterProcessSemaphoreV2` is there for it.
///
/// *Cure:* create first, then count with the own lease among them.
#[derive(Clone)]
pub struct CountsBeforeCreating<E: Environment> {
    leases: Queue<E>,
    permits: usize,
}

impl<E: Environment> Semaphore<E> for CountsBeforeCreating<E> {
    fn new(env: E, path: &str, permits: usize) -> Self {
        Self { leases: Queue::new(env, &join(path, "leases")), permits }
    }

    fn leases(&self) -> &Queue<E> {
        &self.leases
    }

    async fn acquire(&self) -> Result<Acquired, LockError> {
        let (env, parent) = (self.leases.env(), self.leases.parent());
        let zk = env.zookeeper();
        loop {
            let (names, mut watch) = retry(env, "faulty: count", &[], || zk.watch_children(parent)).await?;
            if contenders(names).len() < self.permits {
                return join_leases(&self.leases).await?.granted();
            }
            watch.next().await;
        }
    }
}
