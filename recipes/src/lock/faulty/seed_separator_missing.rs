//! The locks of all orders are one lock.

use crate::lock::{Acquired, Lock, LockError, Queue, predecessor};
use crate::{CreateMode, Environment};

/// *Wrong:* `LOCK_PATH + orderId` has no separator before the digits, so the nodes of all orders are
/// siblings under `LOCK_PATH` and share one counter. "The smallest child" mixes the orders: order 2
/// waits for order 1.
///
/// *Seen:* slip 5 of the recipe's text, in its native code.
///
/// *Cure:* a parent for each order: `LOCK_PATH + orderId + "/lock-"`.
#[derive(Clone)]
pub struct SeedSeparatorMissing<E: Environment> {
    queue: Queue<E>,
    order: String,
}

impl<E: Environment> SeedSeparatorMissing<E> {
    /// "The lock of the order": meant to exclude only those who work on the same order.
    pub fn for_order(env: E, parent: &str, order: &str) -> Self {
        Self { queue: Queue::new(env, parent), order: order.to_owned() }
    }
}

impl<E: Environment> Lock<E> for SeedSeparatorMissing<E> {
    /// The lock of order 1.
    fn new(env: E, parent: &str) -> Self {
        Self::for_order(env, parent, "1")
    }

    fn queue(&self) -> &Queue<E> {
        &self.queue
    }

    async fn acquire(&self) -> Result<Acquired, LockError> {
        let mode = CreateMode::EphemeralSequential;
        loop {
            let contender = self.queue.join_as(&self.order, mode).await?;
            if let Some(lock) = predecessor::turn(contender).await? {
                return Ok(lock);
            }
        }
    }
}
