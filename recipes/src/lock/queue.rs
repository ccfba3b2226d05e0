//! The queue of contenders: the children of one node, lowest sequence number first.

use super::{Contender, LockError};
use crate::{CreateMode, Environment, ZkError, names};

/// The place where contenders stand, and what they need to get there.
#[derive(Clone)]
pub struct Queue<E: Environment> {
    env: E,
    parent: String,
}

impl<E: Environment> Queue<E> {
    /// The queue under `parent`. Sends nothing.
    pub fn new(env: E, parent: &str) -> Self {
        let parent = parent.to_owned();
        Self { env, parent }
    }

    /// The surroundings.
    pub fn env(&self) -> &E {
        &self.env
    }

    /// The path of the parent.
    pub fn parent(&self) -> &str {
        &self.parent
    }

    /// The path of a child.
    pub fn path(&self, name: &str) -> String {
        names::join(&self.parent, name)
    }

    /// Creates an ephemeral, sequential node, and the parent where it is missing.
    pub async fn join(&self) -> Result<Contender<E>, LockError> {
        let mode = CreateMode::EphemeralSequential;
        self.join_as("lock-", mode).await
    }

    /// As [`join`](Self::join), with another text before the number and another mode.
    pub async fn join_as(&self, label: &str, mode: CreateMode) -> Result<Contender<E>, LockError> {
        let mut contender = Contender::new(self, label);
        loop {
            match contender.create(mode).await {
                Ok(()) => return Ok(contender),
                Err(ZkError::NoNode) => contender.create_parent().await?,
                Err(error) => return Err(error.into()),
            }
        }
    }
}
