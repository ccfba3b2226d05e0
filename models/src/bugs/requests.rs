//! A lock that is one ephemeral node with a fixed name, for reports that are not about the queue.

use overtake_recipes::retry::{PAUSE, is_loss, retry};
use overtake_recipes::{CreateMode, Environment, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::program::Context;

/// Waits until the node of that path is the caller's own. Survives a broken connection.
pub async fn take(ctx: &Context, path: &str) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    loop {
        ctx.checkpoint("take", &[path]);
        match zk.create(path, b"", CreateMode::Ephemeral).await {
            Ok(_) => return Ok(()),
            Err(ZkError::NodeExists) => {
                let look = || zk.watch_exists(path);
                match retry(ctx, "look", &[path], look).await? {
                    (Some(stat), _) if stat.ephemeral_owner == zk.session_id() => return Ok(()),
                    (Some(_), mut watch) => while !matches!(watch.next().await, WatchedEvent::Node { .. }) {},
                    (None, _) => {}
                }
            }
            Err(error) if is_loss(error) => ctx.sleep(PAUSE).await,
            Err(error) => return Err(error),
        }
    }
}

/// Deletes the node for certain.
pub async fn give_back(ctx: &Context, path: &str) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    match retry(ctx, "give back", &[path], || zk.delete(path, None)).await {
        Err(ZkError::NoNode) => Ok(()),
        done => done,
    }
}
