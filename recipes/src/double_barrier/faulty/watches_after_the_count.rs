//! `ready` is watched after the count, and the answer is not looked at.

use crate::double_barrier::DoubleBarrier;
use crate::events::node_event;
use crate::lock::{Acquired, LockError, Queue};
use crate::retry::retry;
use crate::{CreateMode, Environment, ZooKeeper};

/// *Wrong:* between the count that is too low and the watch the last one comes and creates `ready`. The watch is then one for
/// its deletion, and its event comes when the others have left: never, since they wait for this one.
///
/// *Seen:* steps 2 and 4 of the official text in the other order.
///
/// *Cure:* watch before the count.
#[derive(Clone)]
pub struct WatchesAfterTheCount<E: Environment>(Queue<E>, usize);

impl<E: Environment> DoubleBarrier<E> for WatchesAfterTheCount<E> {
    in_queue!();

    async fn enter(&self) -> Result<Acquired, LockError> {
        let (queue, size) = self.parts();
        let (env, zk, ready) = (queue.env(), queue.env().zookeeper(), self.ready());
        let member = queue.join_as("member-", CreateMode::EphemeralSequential).await?;
        let key = [member.name(), member.session()];
        if member.list("faulty: count").await?.len() >= size {
            self.complete(&member).await?;
        } else {
            let (_, mut watch) = retry(env, "faulty: watch", &key, || zk.watch_exists(&ready)).await?;
            node_event(env, "faulty: wait", &key, &mut watch).await?;
        }
        member.granted()
    }
}
