//! The same lock, which looks whose the node is before it takes it for its own.

use overtake::recipes::{CreateMode, Environment, Watch, ZkError, ZooKeeper};

const NODE: &str = "/lock/held";

/// Waits until the lock is granted.
pub async fn acquire(env: &impl Environment) -> Result<(), ZkError> {
    let zk = env.zookeeper();
    loop {
        env.checkpoint("acquire", &[]);
        match zk.create(NODE, b"", CreateMode::Ephemeral).await {
            Ok(_) => return Ok(()),
            Err(ZkError::ConnectionLoss) => {}
            Err(ZkError::NodeExists) => match zk.watch_data(NODE).await {
                Ok((_, stat, _)) if stat.ephemeral_owner == zk.session_id() => return Ok(()),
                Ok((_, _, mut gone)) => drop(gone.next().await),
                Err(ZkError::NoNode | ZkError::ConnectionLoss) => {}
                Err(error) => return Err(error),
            },
            Err(error) => return Err(error),
        }
    }
}

/// Gives the lock back, once: a delete that is sent again could hit the node of the next holder.
pub async fn release(env: &impl Environment) -> Result<(), ZkError> {
    let zk = env.zookeeper();
    loop {
        env.checkpoint("release", &[]);
        let answer = match zk.get_data(NODE).await {
            Ok((_, stat)) if stat.ephemeral_owner != zk.session_id() => return Ok(()),
            Ok(_) => zk.delete(NODE, None).await,
            Err(error) => Err(error),
        };
        match answer {
            Err(ZkError::ConnectionLoss) => {}
            Err(ZkError::NoNode) => return Ok(()),
            answer => return answer,
        }
    }
}
