//! Looking and watching are two requests.

use crate::barrier::Barrier;
use crate::events::node_event;
use crate::lock::LockError;
use crate::retry::retry;
use crate::{Environment, ZooKeeper};

/// *Wrong:* a look without a watch, and when the node is there a second request that only sets the watch. Between the two the
/// barrier opens; the watch is then one for the creation of a node that nobody creates.
///
/// *Seen:* O18 (a wait for a creation) and <https://github.com/shayhatsor/zookeeper/issues/26> are of this kind.
///
/// *Cure:* look and watch in one request.
#[derive(Clone)]
pub struct LooksThenWatches<E: Environment>(E, String);

impl<E: Environment> Barrier<E> for LooksThenWatches<E> {
    at_a_node!();

    async fn wait(&self) -> Result<(), LockError> {
        let (env, path) = self.parts();
        let zk = env.zookeeper();
        while retry(env, "faulty: look", &[], || zk.exists(path)).await?.is_some() {
            let (_, mut watch) = retry(env, "faulty: watch", &[], || zk.watch_exists(path)).await?;
            node_event(env, "faulty: wait", &[], &mut watch).await?;
        }
        Ok(())
    }
}
