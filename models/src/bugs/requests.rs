//! Requests that outlive a broken connection, and a lock that is one ephemeral node with a fixed name, for reports
//! that are not about the queue.

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

/// Deletes the node for certain. The place is that of the checkpoint.
pub async fn give_back(ctx: &Context, place: &'static str, path: &str) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    match retry(ctx, place, &[path], || zk.delete(path, None)).await {
        Err(ZkError::NoNode) => Ok(()),
        done => done,
    }
}

/// Sends a request until it is answered: by a session that is over, if by nothing else. For requests that do no harm
/// when they are applied twice, and for worlds in which only an expiry breaks a connection: there no request is applied
/// whose reply is lost.
pub async fn answered<T, F: Future<Output = Result<T, ZkError>>>(
    ctx: &Context,
    mut request: impl FnMut() -> F,
) -> Result<T, ZkError> {
    loop {
        match request().await {
            Err(error) if is_loss(error) => ctx.sleep(PAUSE).await,
            answer => return answer,
        }
    }
}

/// A client whose session is over gives up, and that is no failure.
pub fn give_up_if_expired(done: Result<(), ZkError>) -> Result<(), ZkError> {
    match done {
        Err(ZkError::SessionExpired) => Ok(()),
        done => done,
    }
}
