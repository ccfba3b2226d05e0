//! The barrier: everybody waits until one opens it.
//!
//! The official recipe: the barrier is a node, and it is closed while the node exists.
//!
//! 1. Look for the node **with a watch**. When there is none, pass.
//! 2. Otherwise wait for the event, and repeat step 1.
//!
//! Two more words than the text has: the node is persistent, since it must not go because its maker's session does; and the
//! look is one that leaves no watch where there is no node.
pub mod faulty;

use crate::events::node_event;
use crate::lock::LockError;
use crate::retry::retry;
use crate::{CreateMode, Environment, ZkError, ZooKeeper};

/// A barrier, right or spoilt. What is provided here is right; a spoilt one overrides what it spoils.
#[allow(async_fn_in_trait, reason = "a recipe runs in the task that polls it: nobody asks for Send")]
pub trait Barrier<E: Environment>: Sized {
    /// The barrier that is the node `path`. Sends nothing.
    fn new(env: E, path: &str) -> Self;

    /// The surroundings, and the node.
    fn parts(&self) -> (&E, &str);

    /// Closes the barrier, if it is not closed.
    async fn set(&self) -> Result<(), LockError> {
        set(self.parts(), CreateMode::Persistent).await
    }

    /// Opens the barrier, if it is closed.
    async fn remove(&self) -> Result<(), LockError> {
        let (env, path) = self.parts();
        let zk = env.zookeeper();
        match retry(env, "barrier: remove", &[], || zk.delete(path, None)).await {
            Ok(()) | Err(ZkError::NoNode) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits until the barrier is open.
    async fn wait(&self) -> Result<(), LockError> {
        let (env, path) = self.parts();
        let zk = env.zookeeper();
        loop {
            match retry(env, "barrier: look", &[], || zk.watch_data(path)).await {
                // Not every event says that the node is gone, and it may be there again: look.
                Ok((_, _, mut watch)) => drop(node_event(env, "barrier: wait", &[], &mut watch).await?),
                Err(ZkError::NoNode) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

async fn set<E: Environment>((env, path): (&E, &str), mode: CreateMode) -> Result<(), LockError> {
    let zk = env.zookeeper();
    match retry(env, "barrier: set", &[], || zk.create(path, b"", mode)).await {
        Ok(_) | Err(ZkError::NodeExists) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The recipe.
#[derive(Clone)]
pub struct NodeBarrier<E: Environment> {
    env: E,
    path: String,
}

impl<E: Environment> Barrier<E> for NodeBarrier<E> {
    fn new(env: E, path: &str) -> Self {
        Self { env, path: path.to_owned() }
    }

    fn parts(&self) -> (&E, &str) {
        (&self.env, &self.path)
    }
}
