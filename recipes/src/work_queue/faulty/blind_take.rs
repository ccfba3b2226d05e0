//! The delete of an item is sent again without a receipt.

use crate::lock::LockError;
use crate::retry::retry;
use crate::work_queue::WorkQueue;
use crate::{Environment, ZkError, ZooKeeper};

/// *Wrong:* after a lost reply the delete is repeated and answers NoNode, which is read as "somebody else has it". It was
/// the consumer's own first try, and the item is lost.
///
/// *Seen:* §4.2, Z136: a blind retry of a delete answers NoNode. The queue that comes with ZooKeeper reads it so.
///
/// *Cure:* create a receipt in the same transaction.
#[derive(Clone)]
pub struct BlindTake<E: Environment>(E, String);

impl<E: Environment> WorkQueue<E> for BlindTake<E> {
    at_a_path!();

    async fn delete(&self, path: &str, item: &str, receipt: &str) -> Result<bool, LockError> {
        let zk = self.0.zookeeper();
        match retry(&self.0, "faulty: take", &[path, item, receipt], || zk.delete(path, None)).await {
            Ok(()) => Ok(true),
            Err(ZkError::NoNode) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
