//! Applying an operation once.

use crate::retry::retry;
use crate::{CreateMode, Environment, Op, ZkError, ZooKeeper};

/// Applies the operation once, however often it is sent: only the first time is there no receipt yet.
pub(super) async fn once<E: Environment>(
    env: &E,
    place: &'static str,
    key: &[&str],
    receipt: &str,
    op: impl Fn() -> Op,
) -> Result<(), ZkError> {
    let zk = env.zookeeper();
    let key = [&[receipt], key].concat();
    let sign = || Op::Create { path: receipt.to_owned(), data: Vec::new(), mode: CreateMode::Ephemeral };
    match retry(env, place, &key, || zk.multi(vec![sign(), op()])).await {
        Ok(_) | Err(ZkError::NodeExists) => {}
        Err(error) => return Err(error),
    }
    match retry(env, "queue: receipt", &key, || zk.delete(receipt, None)).await {
        // With the session the receipt goes by itself; what it was for is done.
        Ok(()) | Err(ZkError::NoNode | ZkError::SessionExpired) => Ok(()),
        Err(error) => Err(error),
    }
}
