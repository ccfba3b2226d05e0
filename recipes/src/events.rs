//! Waiting for the event of a watch, and for a node.

use crate::lock::LockError;
use crate::retry::retry;
use crate::{Environment, EventKind, SessionState, Watch, WatchedEvent, ZooKeeper};

/// Waits until something happens to the watched node. `place` and `key` are the checkpoint before each wait.
///
/// # Errors
/// [`LockError::SessionLost`] when the session is over first, since no event comes any more.
pub async fn node_event<E: Environment>(
    env: &E,
    place: &'static str,
    key: &[&str],
    watch: &mut impl Watch,
) -> Result<EventKind, LockError> {
    loop {
        env.checkpoint(place, key);
        match watch.next().await {
            WatchedEvent::Node { kind, .. } => return Ok(kind),
            WatchedEvent::Session(SessionState::Expired) => return Err(LockError::SessionLost),
            // A broken connection loses nothing: the client sets the watch again.
            WatchedEvent::Session(_) => {}
        }
    }
}

/// Waits until the node is there. A watch is set only while it is not.
///
/// # Errors
/// [`LockError::SessionLost`] when the session is over first.
pub async fn appears<E: Environment>(env: &E, place: &'static str, path: &str) -> Result<(), LockError> {
    let zk = env.zookeeper();
    if retry(env, place, &[path, "look"], || zk.exists(path)).await?.is_none() {
        let (there, mut watch) = retry(env, place, &[path, "watch"], || zk.watch_exists(path)).await?;
        if there.is_none() {
            node_event(env, place, &[path, "wait"], &mut watch).await?;
        }
    }
    Ok(())
}
