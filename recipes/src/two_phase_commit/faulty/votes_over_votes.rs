//! A vote is written over whatever is there.

use crate::lock::LockError;
use crate::retry::retry;
use crate::two_phase_commit::{TwoPhaseCommit, Vote};
use crate::{Environment, ZooKeeper};

/// *Wrong:* the version is not given. A site that is out of patience votes `abort` over a vote that has just come and that
/// others have counted; a site that is late votes over the `abort` that others have acted on.
///
/// *Seen:* the text says "writing to its node"; §1.4, Z115: only a write with a version is safe from a stale read.
///
/// *Cure:* write with version 0, and read what is there.
#[derive(Clone)]
pub struct VotesOverVotes<E: Environment>(E, String);

impl<E: Environment> TwoPhaseCommit<E> for VotesOverVotes<E> {
    at_a_path!();

    async fn write(&self, place: &'static str, path: &str, vote: Vote) -> Result<(), LockError> {
        let (env, zk) = (self.parts().0, self.parts().0.zookeeper());
        let key = [path, vote.as_str()];
        retry(env, place, &key, || zk.set_data(path, vote.as_str().as_bytes(), None)).await?;
        Ok(())
    }
}
