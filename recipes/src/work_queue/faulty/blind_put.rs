//! The create of an item is sent again without a receipt.

use crate::lock::LockError;
use crate::retry::retry;
use crate::work_queue::WorkQueue;
use crate::{Environment, ZooKeeper};

/// *Wrong:* after a lost reply the sequential create is repeated. If the first one had been applied the item is there twice,
/// and is handled twice.
///
/// *Seen:* §4.2, Z133: a blind retry of a sequential create makes a second node.
///
/// *Cure:* create a receipt in the same transaction.
#[derive(Clone)]
pub struct BlindPut<E: Environment>(E, String);

impl<E: Environment> WorkQueue<E> for BlindPut<E> {
    at_a_path!();

    async fn put(&self, item: &str) -> Result<(), LockError> {
        let (zk, path) = (self.0.zookeeper(), self.below("items/item-"));
        let create = || zk.create(&path, item.as_bytes(), Self::item_mode());
        retry(&self.0, "faulty: put", &[item], create).await?;
        Ok(())
    }
}
