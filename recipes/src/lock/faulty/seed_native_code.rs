//! The native code of the recipe's text, taken literally.

use crate::lock::{Acquired, Lock, LockError, Queue};
use crate::{CreateMode, Environment, ZooKeeper};

/// *Wrong:* all at once: the create is not waited for and its errors go unnoticed (a missing
/// parent, a lost connection), nobody looks at the other nodes, `LOCK_PATH + orderId` has no
/// separator, the name of the node is thrown away, and `unlock` deletes a path that is not the
/// node.
///
/// *Seen:* slips 1 to 5, 8 and 12 of the recipe's text.
///
/// *Cure:* each slip has its own lock here, and its own cure.
#[derive(Clone)]
pub struct SeedNativeCode<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for SeedNativeCode<E> {
    in_queue!();

    async fn acquire(&self) -> Result<Acquired, LockError> {
        let path = self.0.path("1");
        let (zk, node) = (self.0.env().zookeeper(), path.clone());
        self.0.env().spawn(async move {
            let _ = zk.create(&node, b"", CreateMode::EphemeralSequential).await;
        });
        Ok(Acquired { path })
    }

    async fn release(&self, lock: Acquired) -> Result<(), LockError> {
        let _ = self.0.env().zookeeper().delete(&lock.path, None).await;
        Ok(())
    }
}
