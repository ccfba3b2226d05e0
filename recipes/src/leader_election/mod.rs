//! Leader election, with a node that says who leads.
//!
//! The official recipe:
//!
//! 1. Create an ephemeral, sequential node `ELECTION/n_`.
//! 2. List the children. The lowest one is elected; every other watches the node before its own and repeats this step
//!    after its event.
//! 3. **Having no node before one's own does not mean that its creator knows it.** So the elected runs the leader's
//!    procedure first and then creates a node of its own for the others to read: here `ELECTION-leader`, ephemeral, whose
//!    data is the path of the elected node.
//! 4. To step down, delete that node, then the candidate's.
pub mod faulty;

use crate::events::node_event;
use crate::lock::guard::{Guard, Target};
use crate::lock::{Acquired, Lock, LockError, PredecessorLock};
use crate::retry::retry;
use crate::{CreateMode, Environment, ZkError, ZooKeeper};

/// An election, right or spoilt. What is provided here is right; a spoilt one overrides what it spoils.
#[allow(async_fn_in_trait, reason = "a recipe runs in the task that polls it: nobody asks for Send")]
pub trait Election<E: Environment>: Sized {
    /// An election among the children of `parent`; the node that says who leads is beside the parent. Sends nothing.
    fn new(env: E, parent: &str) -> Self;

    /// The queue of candidates, which is that of a lock.
    fn candidates(&self) -> &PredecessorLock<E>;

    /// The surroundings.
    fn env(&self) -> &E {
        self.candidates().queue().env()
    }

    /// The node that says who leads.
    fn office(&self) -> String {
        format!("{}-leader", self.candidates().queue().parent())
    }

    /// Waits until the candidate is elected. Nobody else knows it yet.
    async fn volunteer(&self) -> Result<Acquired, LockError> {
        self.candidates().acquire().await
    }

    /// Says that the elected has run the leader's procedure.
    async fn proclaim(&self, elected: &Acquired) -> Result<(), LockError> {
        proclaim(self.env(), &self.office(), elected, CreateMode::Ephemeral).await
    }

    /// Steps down: first nobody is said to lead, then the next candidate is let in.
    async fn resign(&self, elected: Acquired) -> Result<(), LockError> {
        let said = Guard::new(self.env(), Target::Path(self.office()));
        self.env().keeping(&[&elected.path], said.finish("election: resign")).await?;
        self.candidates().release(elected).await
    }

    /// Waits until somebody leads and answers the path of its node. It may have stepped down since.
    async fn leader(&self) -> Result<String, LockError> {
        let (env, zk, office) = (self.env(), self.env().zookeeper(), self.office());
        loop {
            match retry(env, "election: who leads", &[], || zk.get_data(&office)).await {
                Ok((leader, _)) => return Ok(String::from_utf8_lossy(&leader).into_owned()),
                Err(ZkError::NoNode) => {}
                Err(error) => return Err(error.into()),
            }
            // Watches also when the node is missing. It may have come in between.
            let (there, mut watch) = retry(env, "election: watch", &[], || zk.watch_exists(&office)).await?;
            if there.is_none() {
                node_event(env, "election: wait", &[], &mut watch).await?;
            }
        }
    }
}

async fn proclaim<E: Environment>(
    env: &E,
    office: &str,
    elected: &Acquired,
    mode: CreateMode,
) -> Result<(), LockError> {
    let (zk, key) = (env.zookeeper(), [elected.path.as_str()]);
    loop {
        let create = || zk.create(office, elected.path.as_bytes(), mode);
        match retry(env, "election: proclaim", &key, create).await {
            Ok(_) => return Ok(()),
            Err(ZkError::NodeExists) => {}
            Err(error) => return Err(error.into()),
        }
        match retry(env, "election: whose", &key, || zk.watch_data(office)).await {
            // The reply of the first create was lost.
            Ok((leader, ..)) if leader == elected.path.as_bytes() => return Ok(()),
            // Of one who led before.
            Ok((_, _, mut watch)) => {
                node_event(env, "election: vacancy", &key, &mut watch).await?;
            }
            Err(ZkError::NoNode) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The recipe.
#[derive(Clone)]
pub struct LeaderElection<E: Environment>(PredecessorLock<E>);

impl<E: Environment> Election<E> for LeaderElection<E> {
    fn new(env: E, parent: &str) -> Self {
        Self(PredecessorLock::new(env, parent))
    }

    fn candidates(&self) -> &PredecessorLock<E> {
        &self.0
    }
}
