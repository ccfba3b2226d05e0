//! The section begins before the lock is held.

use crate::lock::guard::{Guard, Target};
use crate::lock::{Acquired, Lock, LockError, Queue};
use crate::names::leaf;
use crate::{CreateMode, Environment, ZooKeeper};

/// *Wrong:* the create is sent and not waited for; `lock` returns at once, and the caller goes on
/// into its section. Nobody looks at the other nodes either. No exclusion at all.
///
/// *Seen:* slips 1 and 2 of the recipe's text, in its native code.
///
/// *Cure:* wait for the create, and for one's turn.
#[derive(Clone)]
pub struct SeedAsyncCreate<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for SeedAsyncCreate<E> {
    in_queue!();

    async fn acquire(&self) -> Result<Acquired, LockError> {
        let env = self.0.env();
        let path = self.0.path(&format!("{}-lock-", env.unique_id()));
        let (zk, node) = (env.zookeeper(), path.clone());
        env.spawn(async move {
            // The callback prints "acquired the lock successfully", and that is all.
            let _ = zk.create(&node, b"", CreateMode::EphemeralSequential).await;
        });
        Ok(Acquired { path })
    }

    /// Right, as far as it goes: the node is found by its id.
    async fn release(&self, lock: Acquired) -> Result<(), LockError> {
        let (parent, prefix) = (self.0.parent().to_owned(), leaf(&lock.path).to_owned());
        let guard = Guard::new(self.0.env(), Target::Prefix { parent, prefix });
        Ok(guard.finish("faulty: release").await?)
    }
}
