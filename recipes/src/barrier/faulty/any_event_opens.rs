//! Any event of the node opens the barrier.

use crate::barrier::Barrier;
use crate::events::node_event;
use crate::lock::LockError;
use crate::retry::retry;
use crate::{Environment, ZkError, ZooKeeper};

/// *Wrong:* the first event is taken for the deletion. A change of the node's data wakes everybody, and all pass although
/// the barrier is closed.
///
/// *Seen:* the text says "if the node still exists, the client waits again"; slip 13 of the lock's text is its counterpart.
///
/// *Cure:* look again after every event.
#[derive(Clone)]
pub struct AnyEventOpens<E: Environment>(E, String);

impl<E: Environment> Barrier<E> for AnyEventOpens<E> {
    at_a_node!();

    async fn wait(&self) -> Result<(), LockError> {
        let (env, path) = self.parts();
        let zk = env.zookeeper();
        match retry(env, "faulty: look", &[], || zk.watch_data(path)).await {
            Ok((_, _, mut watch)) => node_event(env, "faulty: wait", &[], &mut watch).await.map(drop),
            Err(ZkError::NoNode) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
