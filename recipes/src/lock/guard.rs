//! Taking a node away for certain: the delete that outlives the one who wanted it.

use super::search::find;
use crate::names::join;
use crate::retry::retry;
use crate::{Environment, ZkError, ZooKeeper};

/// The node to take away.
#[derive(Clone, Debug)]
pub enum Target {
    /// Its path is known.
    Path(String),
    /// Only what its name starts with is known, and it may not exist: the create is unanswered.
    Prefix {
        /// Path of the parent.
        parent: String,
        /// Start of the name, with an id that nobody else has.
        prefix: String,
    },
}

/// Takes the node away when dropped, in the background, unless disarmed.
pub struct Guard<E: Environment> {
    env: E,
    session: i64,
    target: Option<Target>,
}

impl<E: Environment> Guard<E> {
    /// An armed guard over a node of the current session.
    pub fn new(env: &E, target: Target) -> Self {
        Self { env: env.clone(), session: env.zookeeper().session_id(), target: Some(target) }
    }

    /// The session that the node belongs to.
    pub fn session(&self) -> i64 {
        self.session
    }

    /// Arms the guard with what is known now.
    pub fn arm(&mut self, target: Target) {
        self.target = Some(target);
    }

    /// Lets the node be.
    pub fn disarm(&mut self) {
        self.target = None;
    }

    /// Takes the node away and waits for it. If the future is dropped, the background goes on.
    pub async fn finish(mut self, place: &'static str) -> Result<(), ZkError> {
        let Some(target) = self.target.clone() else {
            return Ok(());
        };
        let done = remove(&self.env, place, &target).await;
        self.disarm();
        done
    }
}

impl<E: Environment> Drop for Guard<E> {
    fn drop(&mut self) {
        let Some(target) = self.target.take() else {
            return;
        };
        // The nodes of a session that is over go by themselves.
        if self.env.zookeeper().session_id() == self.session {
            self.env.hand_over(|env| async move {
                // The only errors left are the end of the session, and a missing permission, for
                // which there is nobody to ask.
                let _ = remove(&env, "lock: clean up", &target).await;
            });
        }
    }
}

async fn remove<E: Environment>(env: &E, place: &'static str, target: &Target) -> Result<(), ZkError> {
    match target {
        Target::Path(path) => delete(env, place, path).await,
        Target::Prefix { parent, prefix } => {
            match find(env, place, &[prefix], parent, prefix).await? {
                // The create is never sent again before a search, so one node is all there can be.
                Some(name) => delete(env, place, &join(parent, &name)).await,
                None => Ok(()),
            }
        }
    }
}

async fn delete<E: Environment>(env: &E, place: &'static str, path: &str) -> Result<(), ZkError> {
    let zk = env.zookeeper();
    match retry(env, place, &[path], || zk.delete(path, None)).await {
        // Perhaps the last try had been applied. The name is unique: nobody else's node is meant.
        Err(ZkError::NoNode) => Ok(()),
        answer => answer,
    }
}
