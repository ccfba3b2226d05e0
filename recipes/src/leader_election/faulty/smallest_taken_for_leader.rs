//! The lowest candidate is taken for the leader.

use crate::leader_election::Election;
use crate::lock::{Lock, LockError, PredecessorLock};
use crate::names::contenders;
use crate::retry::retry;
use crate::{Environment, Watch, ZooKeeper};

/// *Wrong:* others look for the lowest candidate and take it for the leader. Its maker may not know yet that it is the
/// lowest, let alone have run the leader's procedure.
///
/// *Seen:* the note at the end of
/// <https://zookeeper.apache.org/doc/r3.8.0/recipes.html#sc_leaderElection>.
///
/// *Cure:* the leader creates another node when it is ready, and the others read that one.
#[derive(Clone)]
pub struct SmallestTakenForLeader<E: Environment>(PredecessorLock<E>);

impl<E: Environment> Election<E> for SmallestTakenForLeader<E> {
    of_candidates!();

    async fn leader(&self) -> Result<String, LockError> {
        let (queue, zk) = (self.candidates().queue(), self.env().zookeeper());
        loop {
            let list = || zk.watch_children(queue.parent());
            let (names, mut watch) = retry(self.env(), "faulty: who leads", &[], list).await?;
            if let Some(lowest) = contenders(names).first() {
                return Ok(queue.path(lowest));
            }
            watch.next().await;
        }
    }
}
