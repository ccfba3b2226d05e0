//! Looking for the node of a create whose reply is lost.

use crate::retry::{PAUSE, is_loss};
use crate::{Environment, ZkError, ZooKeeper};

/// The child whose name starts with `prefix`. Without the `sync` the server that the client is
/// connected to now might not know yet of a create that the leader had taken from the last one.
pub async fn find<E: Environment>(
    env: &E,
    place: &'static str,
    key: &[&str],
    parent: &str,
    prefix: &str,
) -> Result<Option<String>, ZkError> {
    let zk = env.zookeeper();
    loop {
        env.checkpoint(place, key);
        let listed = match zk.sync(parent).await {
            Ok(()) => zk.children(parent).await,
            Err(error) => Err(error),
        };
        match listed {
            Ok(names) => return Ok(names.into_iter().find(|name| name.starts_with(prefix))),
            Err(ZkError::NoNode) => return Ok(None),
            Err(error) if is_loss(error) => env.sleep(PAUSE).await,
            Err(error) => return Err(error),
        }
    }
}
