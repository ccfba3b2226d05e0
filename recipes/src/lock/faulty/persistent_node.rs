//! The node outlives its client.

use super::contend_as;
use crate::lock::{Acquired, Lock, LockError, Queue};
use crate::{CreateMode, Environment};

/// *Wrong:* the node is persistent. When the holder crashes, or its session ends, the lock is
/// never free again.
///
/// *Seen:* <https://issues.apache.org/jira/browse/HBASE-16144> (O47).
///
/// *Cure:* an ephemeral node.
#[derive(Clone)]
pub struct PersistentNode<E: Environment>(Queue<E>);

impl<E: Environment> Lock<E> for PersistentNode<E> {
    in_queue!();

    async fn acquire(&self) -> Result<Acquired, LockError> {
        let mode = CreateMode::PersistentSequential;
        contend_as(&self.0, async |queue: &Queue<E>| queue.join_as("lock-", mode).await).await
    }
}
