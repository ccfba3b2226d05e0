//! A lock as one writes it in an afternoon: whoever creates the node has the lock. It has a race in it.

use overtake::recipes::{CreateMode, Environment, Watch, ZkError, ZooKeeper};

const NODE: &str = "/lock/held";

/// Waits until the lock is granted.
pub async fn acquire(env: &impl Environment) -> Result<(), ZkError> {
    let zk = env.zookeeper();
    let mut sent_before = false;
    loop {
        env.checkpoint("acquire", &[if sent_before { "sent before" } else { "" }]);
        match zk.create(NODE, b"", CreateMode::Ephemeral).await {
            Ok(_) => return Ok(()),
            // Nobody knows whether it took effect, so it is sent again.
            Err(ZkError::ConnectionLoss) => sent_before = true,
            // It did take effect: the node is mine.
            Err(ZkError::NodeExists) if sent_before => return Ok(()),
            Err(ZkError::NodeExists) => {
                let (there, mut gone) = zk.watch_exists(NODE).await?;
                if there.is_some() {
                    gone.next().await;
                }
            }
            Err(error) => return Err(error),
        }
    }
}

/// Gives the lock back.
pub async fn release(env: &impl Environment) -> Result<(), ZkError> {
    match env.zookeeper().delete(NODE, None).await {
        Err(ZkError::NoNode | ZkError::ConnectionLoss) => Ok(()),
        answer => answer,
    }
}
