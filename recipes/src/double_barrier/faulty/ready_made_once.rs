//! Who does not make `ready` itself fails.

use crate::double_barrier::DoubleBarrier;
use crate::lock::{Contender, LockError, Queue};
use crate::retry::retry;
use crate::{CreateMode, Environment, ZooKeeper};

/// *Wrong:* the last two count at the same time, and both find everybody there. The second create answers NodeExists, which is
/// taken for a failure.
///
/// *Seen:* the official text has one "last" process; <https://zookeeper.apache.org/doc/r3.8.0/recipes.html#sc_doubleBarriers>.
///
/// *Cure:* that `ready` is there is all that was wanted.
#[derive(Clone)]
pub struct ReadyMadeOnce<E: Environment>(Queue<E>, usize);

impl<E: Environment> DoubleBarrier<E> for ReadyMadeOnce<E> {
    in_queue!();

    async fn complete(&self, member: &Contender<E>) -> Result<(), LockError> {
        let (env, zk, ready) = (self.0.env(), self.0.env().zookeeper(), self.ready());
        let create = || zk.create(&ready, b"", CreateMode::Persistent);
        retry(env, "faulty: complete", &[member.name(), member.session()], create).await?;
        Ok(())
    }
}
