//! The node that says who leads is persistent.

use crate::leader_election::{Election, proclaim};
use crate::lock::{Acquired, Lock, LockError, PredecessorLock};
use crate::{CreateMode, Environment};

/// *Wrong:* the leader's session ends, its candidate node goes, and the node that names it stays. Its successor waits for
/// the vacancy for ever, while everybody else follows the dead.
///
/// *Seen:* <https://issues.apache.org/jira/browse/HBASE-16144> (O47), here with an election.
///
/// *Cure:* make the node ephemeral.
#[derive(Clone)]
pub struct OfficeOutlivesLeader<E: Environment>(PredecessorLock<E>);

impl<E: Environment> Election<E> for OfficeOutlivesLeader<E> {
    of_candidates!();

    async fn proclaim(&self, elected: &Acquired) -> Result<(), LockError> {
        proclaim(self.env(), &self.office(), elected, CreateMode::Persistent).await
    }
}
