//! Two-phase commit: all sites commit, or all abort.
//!
//! The official recipe:
//!
//! 1. The coordinator creates a node for the transaction and below it one for each site, whose contents are undefined.
//! 2. Each site writes its vote, `commit` or `abort`, into its node.
//! 3. Each site watches the others' nodes. One `abort` is enough to abort; when all say `commit`, commit.
//!
//! All the coordinator does is to decide who takes part, so nobody needs it for the decision. Three more words than the text
//! has. The nodes are created in **one** step, since a site that sees some of them would take them for all. A vote is written
//! **only where there is none**, which the version of the node tells. And so a site that has waited for long enough may vote
//! `abort` for one that has not voted: whoever votes first, all sites read the same votes.
pub mod faulty;
mod transaction;
mod vote;

use std::pin::pin;

use futures_util::future::{Either, select};
pub use transaction::Transaction;
pub use vote::{PATIENCE, Vote};

use crate::events::{appears, node_event};
use crate::lock::LockError;
use crate::names::join;
use crate::retry::retry;
use crate::{CreateMode, Environment, Op, ZkError, ZooKeeper};

/// A transaction, right or spoilt: what is provided here is right, a spoilt one overrides what it spoils.
#[allow(async_fn_in_trait, reason = "a recipe runs in the task that polls it: nobody asks for Send")]
pub trait TwoPhaseCommit<E: Environment>: Sized {
    /// The transaction whose node is `path`. Sends nothing.
    fn new(env: E, path: &str) -> Self;

    /// The surroundings, and the path.
    fn parts(&self) -> (&E, &str);

    /// The coordinator's part: names the sites.
    async fn coordinate(&self, sites: &[&str]) -> Result<(), LockError> {
        self.begin(sites).await
    }

    /// Creates the nodes of the transaction and of the sites.
    async fn begin(&self, sites: &[&str]) -> Result<(), LockError> {
        let (env, path) = self.parts();
        let zk = env.zookeeper();
        let paths = std::iter::once(path.to_owned()).chain(sites.iter().map(|site| join(path, site)));
        let create = |path| Op::Create { path, data: Vec::new(), mode: CreateMode::Persistent };
        let ops: Vec<Op> = paths.map(create).collect();
        match retry(env, "2pc: begin", &[], || zk.multi(ops.clone())).await {
            // The first reply was lost.
            Ok(_) | Err(ZkError::NodeExists) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// A site's part: waits until the transaction is there.
    async fn invited(&self, site: &str) -> Result<(), LockError> {
        let (env, path) = self.parts();
        appears(env, "2pc: invited", &join(path, site)).await
    }

    /// A site's part: votes, and answers what becomes of the transaction.
    async fn vote(&self, site: &str, vote: Vote) -> Result<Vote, LockError> {
        let (env, path) = self.parts();
        self.write("2pc: vote", &join(path, site), vote).await?;
        match select(pin!(self.outcome()), pin!(env.sleep(PATIENCE))).await {
            Either::Left((outcome, _)) => return outcome,
            Either::Right(_) => {}
        }
        self.overdue().await
    }

    /// Writes a vote into a site's node unless there is one.
    async fn write(&self, place: &'static str, path: &str, vote: Vote) -> Result<(), LockError> {
        let (env, zk) = (self.parts().0, self.parts().0.zookeeper());
        let key = [path, vote.as_str()];
        match retry(env, place, &key, || zk.set_data(path, vote.as_str().as_bytes(), Some(0))).await {
            // The first reply was lost, or somebody else has voted for this site. The node tells.
            Ok(_) | Err(ZkError::BadVersion) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The paths of the sites' nodes.
    async fn sites(&self, place: &'static str) -> Result<Vec<String>, LockError> {
        let (env, path) = self.parts();
        let zk = env.zookeeper();
        let mut names = retry(env, place, &[], || zk.children(path)).await?;
        names.sort();
        Ok(names.iter().map(|name| join(path, name)).collect())
    }

    /// Waits for the votes: until one says `abort`, or all say `commit`.
    async fn outcome(&self) -> Result<Vote, LockError> {
        let (env, zk) = (self.parts().0, self.parts().0.zookeeper());
        let sites = self.sites("2pc: sites").await?;
        let mut open = sites.iter().map(String::as_str).collect::<Vec<_>>();
        while let Some(site) = open.first() {
            let (data, _, mut watch) = retry(env, "2pc: read", &open, || zk.watch_data(site)).await?;
            match Vote::of(&data) {
                Some(Vote::Commit) => drop(open.remove(0)),
                Some(Vote::Abort) => return Ok(Vote::Abort),
                None => drop(node_event(env, "2pc: votes", &open, &mut watch).await?),
            }
        }
        Ok(Vote::Commit)
    }

    /// Votes `abort` for those who have not voted, and answers what becomes of it now.
    async fn overdue(&self) -> Result<Vote, LockError> {
        let sites = self.sites("2pc: all sites").await?;
        let all: Vec<&str> = sites.iter().map(String::as_str).collect();
        for site in &all {
            self.parts().0.keeping(&all, self.write("2pc: overdue", site, Vote::Abort)).await?;
        }
        self.outcome().await
    }
}
