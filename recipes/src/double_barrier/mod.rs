//! The double barrier: so many begin together and end together.
//!
//! The official recipe, to enter:
//!
//! 1. Watch for the node `ready` below the barrier.
//! 2. Create the own ephemeral node below the barrier.
//! 3. List the children. When fewer than all are there, wait for `ready`; otherwise create it.
//!
//! And to leave:
//!
//! 1. List the children. When there are none, leave.
//! 2. Alone: delete the own node and leave.
//! 3. The lowest: wait for the highest. Any other: delete the own node, wait for the lowest. Repeat step 1.
//!
//! What the text leaves out, for members who come again: `ready` is itself a child and must not be counted; two may create
//! it, and one that finds it made is content; whoever leaves sees to it that it is gone **before** it leaves; and a member
//! that is quick to come again must not be waited for as one that has not left.
pub mod faulty;
mod leave;

use crate::events::node_event;
use crate::lock::{Acquired, Contender, LockError, Queue};
use crate::names::{contenders, suffix};
use crate::retry::retry;
use crate::{CreateMode, Environment, Op, ZkError, ZooKeeper};

/// A double barrier, right or spoilt. What is provided here is right; a spoilt one overrides what it spoils.
#[allow(async_fn_in_trait, reason = "a recipe runs in the task that polls it: nobody asks for Send")]
pub trait DoubleBarrier<E: Environment>: Sized {
    /// The barrier for `size` members on the children of `parent`. Sends nothing.
    fn new(env: E, parent: &str, size: usize) -> Self;

    /// The queue of members, and how many there must be.
    fn parts(&self) -> (&Queue<E>, usize);

    /// The path of `ready`.
    fn ready(&self) -> String {
        self.parts().0.path("ready")
    }

    /// The members among the children, lowest first. `ready` has no number.
    fn members(children: Vec<String>) -> Vec<String> {
        contenders(children)
    }

    /// Which of the members that are listed later are still those of this round, the first list of which ended with `last`.
    /// Nobody comes again before the own node is gone, so whoever comes again has a higher number.
    fn of_this_round(members: Vec<String>, last: &str) -> Vec<String> {
        members.into_iter().filter(|name| suffix(name) <= suffix(last)).collect()
    }

    /// Waits until all members are there. Dropping the future takes the own node away.
    async fn enter(&self) -> Result<Acquired, LockError> {
        let (queue, size) = self.parts();
        let (env, zk, ready) = (queue.env(), queue.env().zookeeper(), self.ready());
        let member = queue.join_as("member-", CreateMode::EphemeralSequential).await?;
        let key = [member.name(), member.session()];
        // Before the count: whoever completes it later finds the watch.
        let (there, mut watch) = retry(env, "double barrier: watch", &key, || zk.watch_exists(&ready)).await?;
        if there.is_none() {
            if member.list("double barrier: count").await?.len() >= size {
                self.complete(&member).await?;
            } else {
                node_event(env, "double barrier: wait", &key, &mut watch).await?;
            }
        }
        member.granted()
    }

    /// Says that all are there.
    async fn complete(&self, member: &Contender<E>) -> Result<(), LockError> {
        let (env, zk, ready) = (self.parts().0.env(), self.parts().0.env().zookeeper(), self.ready());
        let create = || zk.create(&ready, b"", CreateMode::Persistent);
        match retry(env, "double barrier: complete", &[member.name(), member.session()], create).await {
            // Another counted all at the same time, or the first reply was lost.
            Ok(_) | Err(ZkError::NodeExists) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits until all members want to leave.
    async fn leave(&self, member: Acquired) -> Result<(), LockError> {
        leave::leave(self, member).await
    }

    /// Takes `ready` away, and with it in one step the own node, if that is still there: whoever sees no member any more
    /// may come again at once, and must not find the `ready` of this round.
    async fn clear(&self, own: Option<&str>) -> Result<(), LockError> {
        let (env, ready) = (self.parts().0.env(), self.ready());
        let zk = env.zookeeper();
        let delete = |path: &str| Op::Delete { path: path.to_owned(), version: None };
        let ops = || std::iter::once(ready.as_str()).chain(own).map(delete).collect();
        match retry(env, "double barrier: clear", &[own.unwrap_or_default()], || zk.multi(ops())).await {
            // The first reply was lost, or another has cleared.
            Ok(_) | Err(ZkError::NoNode) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// The recipe.
#[derive(Clone)]
pub struct ReadyBarrier<E: Environment> {
    queue: Queue<E>,
    size: usize,
}

impl<E: Environment> DoubleBarrier<E> for ReadyBarrier<E> {
    fn new(env: E, parent: &str, size: usize) -> Self {
        Self { queue: Queue::new(env, parent), size }
    }

    fn parts(&self) -> (&Queue<E>, usize) {
        (&self.queue, self.size)
    }
}
