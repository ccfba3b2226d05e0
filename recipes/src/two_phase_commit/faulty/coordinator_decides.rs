//! The coordinator decides, and the sites wait for it.

use crate::events::{appears, node_event};
use crate::lock::LockError;
use crate::names::join;
use crate::retry::retry;
use crate::two_phase_commit::{TwoPhaseCommit, Vote};
use crate::{CreateMode, Environment, ZkError, ZooKeeper};

/// *Wrong:* the coordinator reads the votes and writes the outcome, and each site waits for that. When the coordinator dies in
/// between, the sites have voted and can neither commit nor abort.
///
/// *Seen:* classic two-phase commit, which blocks; the text lets the sites read the votes for this reason, and loses it again
/// where it proposes that "only the coordinator" watches,
/// <https://zookeeper.apache.org/doc/r3.8.0/recipes.html#sc_recipes_twoPhasedCommit>.
///
/// *Cure:* every site reads the votes.
#[derive(Clone)]
pub struct CoordinatorDecides<E: Environment>(E, String);

impl<E: Environment> TwoPhaseCommit<E> for CoordinatorDecides<E> {
    at_a_path!();

    async fn coordinate(&self, sites: &[&str]) -> Result<(), LockError> {
        self.begin(sites).await?;
        let outcome = votes(self, sites).await?;
        let (env, zk, decision) = (self.parts().0, self.parts().0.zookeeper(), format!("{}-outcome", self.1));
        let key = [outcome.as_str()];
        let create = || zk.create(&decision, outcome.as_str().as_bytes(), CreateMode::Persistent);
        match retry(env, "faulty: decide", &key, create).await {
            Ok(_) | Err(ZkError::NodeExists) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn outcome(&self) -> Result<Vote, LockError> {
        let (env, zk, decision) = (self.parts().0, self.parts().0.zookeeper(), format!("{}-outcome", self.1));
        appears(env, "faulty: wait", &decision).await?;
        let (data, _) = retry(env, "faulty: outcome", &[], || zk.get_data(&decision)).await?;
        Ok(Vote::of(&data).unwrap_or(Vote::Abort))
    }
}

/// Waits for the votes of all sites.
async fn votes<E: Environment>(of: &CoordinatorDecides<E>, sites: &[&str]) -> Result<Vote, LockError> {
    let (env, path) = of.parts();
    let zk = env.zookeeper();
    'next: for site in sites {
        loop {
            let path = join(path, site);
            let (data, _, mut watch) = retry(env, "faulty: read", &[&path], || zk.watch_data(&path)).await?;
            match Vote::of(&data) {
                Some(Vote::Commit) => continue 'next,
                Some(Vote::Abort) => return Ok(Vote::Abort),
                None => drop(node_event(env, "faulty: votes", &[&path], &mut watch).await?),
            }
        }
    }
    Ok(Vote::Commit)
}
