//! The sites' nodes are created one after the other.

use crate::lock::LockError;
use crate::names::join;
use crate::retry::retry;
use crate::two_phase_commit::TwoPhaseCommit;
use crate::{CreateMode, Environment, ZkError, ZooKeeper};

/// *Wrong:* a site that votes at once lists the nodes while there is none but its own, and commits. A site whose node comes
/// later aborts.
///
/// *Seen:* the text creates "one child node per participating site" and says nothing of one step,
/// <https://zookeeper.apache.org/doc/r3.8.0/recipes.html#sc_recipes_twoPhasedCommit>.
///
/// *Cure:* create all in one transaction.
#[derive(Clone)]
pub struct SitesOneByOne<E: Environment>(E, String);

impl<E: Environment> TwoPhaseCommit<E> for SitesOneByOne<E> {
    at_a_path!();

    async fn begin(&self, sites: &[&str]) -> Result<(), LockError> {
        let (env, path) = self.parts();
        let zk = env.zookeeper();
        for path in std::iter::once(path.to_owned()).chain(sites.iter().map(|site| join(path, site))) {
            match retry(env, "faulty: begin", &[&path], || zk.create(&path, b"", CreateMode::Persistent)).await {
                Ok(_) | Err(ZkError::NodeExists) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
