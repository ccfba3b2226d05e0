//! The lock of the Rust client `zookeeper-client` (§5.9): an id found again after a loss, an error at the end of the
//! session, and a lock that is released by being dropped.

use super::{Acquired, Lock, LockError, Queue};
use crate::client::{CleanUp, Client, Options, Remains, RetryPolicy};
use crate::names::{contenders, join, leaf};
use crate::retry::PAUSE;
use crate::{CreateMode, Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};

/// As described. Only the search for a lost create lacks the `sync` (§4.3).
#[derive(Clone)]
pub struct RustClientLock<E: Environment>(pub(super) RustLock<E>);

/// With a `sync` before the search.
#[derive(Clone)]
pub struct SyncedRustClientLock<E: Environment>(RustLock<E>);

#[derive(Clone)]
pub(super) struct RustLock<E: Environment> {
    client: Client<E>,
    queue: Queue<E>,
}

impl<E: Environment> RustLock<E> {
    pub(super) fn new(env: E, parent: &str, syncs: bool) -> Self {
        // Losses are retried for ever, the end of the session never: the handle is dead.
        let policy = RetryPolicy::SessionFailed(Box::new(RetryPolicy::Forever { pause: PAUSE }));
        let queue = Queue::new(env.clone(), parent);
        Self { client: Client::new(env, Options { policy, syncs_before_search: syncs }), queue }
    }

    pub(super) fn queue(&self) -> &Queue<E> {
        &self.queue
    }

    /// `None` where the lock is not free and nobody is to wait.
    pub(super) async fn acquire(&self, waits: bool) -> Result<Option<Acquired>, LockError> {
        let (zk, parent) = (self.client.zookeeper(), self.queue.parent());
        let prefix = format!("_c_{}-", self.client.env().unique_id());
        let remains = Remains::Protected { parent: parent.to_owned(), prefix: prefix.clone() };
        let search = CleanUp::new(&self.client, remains);
        let name = self.create(&prefix).await?;
        search.disarm();
        // Dropped, the lock is released in the background: so ends a call that is cancelled.
        let guard = CleanUp::new(&self.client, Remains::Node(self.queue.path(&name)));
        loop {
            let names = self.client.call("rust: list", &[&name], || zk.children(parent)).await;
            let names = contenders(names?);
            match names.iter().position(|other| *other == name) {
                Some(0) => {
                    guard.disarm();
                    return Ok(Some(Acquired { path: self.queue.path(&name) }));
                }
                Some(_) if !waits => {
                    guard.delete_now("rust: give up", &[]).await?;
                    return Ok(None);
                }
                Some(at) => self.wait_for(&name, &names[at - 1]).await?,
                None => return Err(ZkError::NoNode.into()),
            }
        }
    }

    async fn create(&self, prefix: &str) -> Result<String, ZkError> {
        let (zk, parent) = (self.client.zookeeper(), self.queue.parent());
        let path = join(parent, &format!("{prefix}lock-"));
        let mut tries = self.client.tries();
        loop {
            tries.checkpoint("rust: create", &[prefix]);
            match zk.create(&path, b"", CreateMode::EphemeralSequential).await {
                Ok(path) => return Ok(leaf(&path).to_owned()),
                Err(ZkError::NoNode) => {
                    let create = || zk.create(parent, b"", CreateMode::Persistent);
                    match self.client.call("rust: parent", &[prefix], create).await {
                        Ok(_) | Err(ZkError::NodeExists) => {}
                        Err(error) => return Err(error),
                    }
                }
                Err(error) => {
                    if !tries.again(error, "rust: pause", &[prefix]).await {
                        return Err(error);
                    }
                    let look = || self.client.look_for(parent, prefix);
                    if let Some(name) = self.client.call("rust: find", &[prefix], look).await? {
                        return Ok(name);
                    }
                }
            }
        }
    }

    async fn wait_for(&self, name: &str, other: &str) -> Result<(), ZkError> {
        let (zk, path) = (self.client.zookeeper(), self.queue.path(other));
        let mut watch = match self.client.call("rust: watch", &[name, other], || zk.watch_data(&path)).await {
            Ok((_, _, watch)) => watch,
            Err(ZkError::NoNode) => return Ok(()),
            Err(error) => return Err(error),
        };
        loop {
            self.client.env().checkpoint("rust: wait", &[name, other]);
            match watch.next().await {
                WatchedEvent::Node { .. } => return Ok(()),
                WatchedEvent::Session(SessionState::Expired) => return Err(ZkError::SessionExpired),
                WatchedEvent::Session(_) => {}
            }
        }
    }

    /// The lock is dropped: the node goes in the background, and nobody is told how it went.
    pub(super) fn release(&self, lock: Acquired) {
        drop(CleanUp::new(&self.client, Remains::Node(lock.path)));
    }
}

macro_rules! rust_lock {
    ($name:ident, $syncs:literal) => {
        impl<E: Environment> Lock<E> for $name<E> {
            fn new(env: E, parent: &str) -> Self {
                Self(RustLock::new(env, parent, $syncs))
            }

            fn queue(&self) -> &Queue<E> {
                self.0.queue()
            }

            async fn acquire(&self) -> Result<Acquired, LockError> {
                self.0.acquire(true).await?.ok_or(LockError::NotHeld)
            }

            async fn try_acquire(&self) -> Result<Option<Acquired>, LockError> {
                self.0.acquire(false).await
            }

            async fn release(&self, lock: Acquired) -> Result<(), LockError> {
                self.0.release(lock);
                Ok(())
            }
        }
    };
}

rust_lock!(RustClientLock, false);
rust_lock!(SyncedRustClientLock, true);
