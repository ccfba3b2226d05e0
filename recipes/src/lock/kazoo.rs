//! kazoo's `Lock` (§5.9): one id for the life of the object, everything in one function that is tried again as a whole.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::{Either, select};

use super::{Acquired, Lock, LockError, Patience, Queue};
use crate::client::{Client, Options, RetryPolicy};
use crate::names::{contenders, join, leaf};
use crate::{CreateMode, Environment, Watch, ZkError, ZooKeeper};

/// As shipped: a node that begins with the object's id is the own one, whichever session owns it.
#[derive(Clone)]
pub struct KazooLock<E: Environment>(pub(super) Kazoo<E>);

/// Takes a node that it finds for its own only if the current session owns it.
#[derive(Clone)]
pub struct CheckedKazooLock<E: Environment>(Kazoo<E>);

/// What the variants differ in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Care {
    /// A node found by the id must belong to the current session.
    pub owner: bool,
    /// A lock that is not had after all takes its node away.
    pub keeps_node_on_timeout: bool,
}

#[derive(Default)]
struct State {
    /// A create may have been sent: look for the id before sending another.
    tried: bool,
    assured_path: bool,
    acquired: Option<String>,
}

#[derive(Clone)]
pub(super) struct Kazoo<E: Environment> {
    client: Client<E>,
    queue: Queue<E>,
    prefix: String,
    care: Care,
    state: Rc<RefCell<State>>,
}

/// How a try of the whole ended without an error of the service.
enum Ended {
    Granted(String),
    NotNow,
    TimedOut,
    /// The own node is not among the children (`ForceRetryError`).
    Anew,
}

impl<E: Environment> Kazoo<E> {
    pub(super) fn new(env: E, parent: &str, syncs: bool, care: Care) -> Self {
        let options = Options { policy: RetryPolicy::kazoo(), syncs_before_search: syncs };
        let prefix = format!("{}__lock__", env.unique_id());
        let queue = Queue::new(env.clone(), parent);
        Self { client: Client::new(env, options), queue, prefix, care, state: Rc::default() }
    }

    pub(super) fn queue(&self) -> &Queue<E> {
        &self.queue
    }

    /// What the object remembers, for checkpoints.
    fn key(&self) -> String {
        let state = self.state.borrow();
        format!("{} {} {}", self.prefix, state.tried, state.assured_path)
    }

    pub(super) async fn acquire(&self, patience: Patience) -> Result<Option<Acquired>, LockError> {
        let mut tries = self.client.tries();
        loop {
            tries.checkpoint("kazoo: acquire", &[&self.key()]);
            match self.attempt(patience, &tries.memory()).await {
                Ok(Ended::Granted(name)) => {
                    let path = self.queue.path(&name);
                    self.state.borrow_mut().acquired = Some(path.clone());
                    return Ok(Some(Acquired { path }));
                }
                Ok(Ended::TimedOut | Ended::NotNow) if self.care.keeps_node_on_timeout => return Ok(None),
                Ok(Ended::TimedOut | Ended::NotNow) => {
                    self.clean_up().await;
                    return Ok(None);
                }
                Ok(Ended::Anew) if tries.anew("kazoo: anew", &[&self.key()]).await => {}
                Ok(Ended::Anew) => return Ok(None),
                Err(error) if tries.again(error, "kazoo: again", &[&self.key()]).await => {}
                Err(error) => {
                    self.clean_up().await;
                    return Err(error.into());
                }
            }
        }
    }

    /// The whole of it once; no call in here is repeated by itself.
    async fn attempt(&self, patience: Patience, round: &str) -> Result<Ended, ZkError> {
        let (zk, parent) = (self.client.zookeeper(), self.queue.parent());
        if !self.state.borrow().assured_path {
            self.ensure_path().await?;
        }
        let tried = std::mem::replace(&mut self.state.borrow_mut().tried, true);
        let found = if tried { self.find().await? } else { None };
        let name = match found {
            Some(name) => name,
            None => {
                let path = join(parent, &self.prefix);
                leaf(&zk.create(&path, b"", CreateMode::EphemeralSequential).await?).to_owned()
            }
        };
        loop {
            self.client.env().checkpoint("kazoo: list", &[&self.key(), &name, round]);
            let names = contenders(zk.children(parent).await?);
            let Some(at) = names.iter().position(|other| *other == name) else {
                return Ok(Ended::Anew);
            };
            if at == 0 {
                return Ok(Ended::Granted(name));
            }
            if let Patience::None = patience {
                return Ok(Ended::NotNow);
            }
            match zk.watch_data(&self.queue.path(&names[at - 1])).await {
                Ok((_, _, watch)) => {
                    if !self.wait(&[&self.key(), &name, &names[at - 1], round], watch, patience).await {
                        return Ok(Ended::TimedOut);
                    }
                }
                Err(ZkError::NoNode) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits for any event: session listeners set the same flag. `false`: the time is up.
    async fn wait(&self, key: &[&str], mut watch: impl Watch, patience: Patience) -> bool {
        let env = self.client.env();
        env.checkpoint("kazoo: wait", key);
        let Patience::For(time) = patience else {
            watch.next().await;
            return true;
        };
        let (event, timer) = (std::pin::pin!(watch.next()), std::pin::pin!(env.sleep(time)));
        matches!(select(event, timer).await, Either::Left(_))
    }

    async fn ensure_path(&self) -> Result<(), ZkError> {
        let (zk, parent) = (self.client.zookeeper(), self.queue.parent());
        if zk.exists(parent).await?.is_none() {
            match zk.create(parent, b"", CreateMode::Persistent).await {
                Ok(_) | Err(ZkError::NodeExists) => {}
                Err(error) => return Err(error),
            }
        }
        self.state.borrow_mut().assured_path = true;
        Ok(())
    }

    /// The node with the object's id.
    async fn find(&self) -> Result<Option<String>, ZkError> {
        let (zk, parent) = (self.client.zookeeper(), self.queue.parent());
        if self.client.options().syncs_before_search {
            zk.sync(parent).await?;
        }
        let names = zk.children(parent).await?;
        let own = names.into_iter().filter(|name| name.starts_with(&self.prefix));
        if !self.care.owner {
            return Ok(contenders(own.collect()).into_iter().next());
        }
        for name in contenders(own.collect()) {
            let stat = zk.exists(&self.queue.path(&name)).await?;
            if stat.is_some_and(|stat| stat.ephemeral_owner == zk.session_id()) {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// Deletes the node if it can be found; whatever goes wrong is not looked at.
    async fn clean_up(&self) {
        self.client.env().checkpoint("kazoo: clean up", &[&self.key()]);
        if let Ok(Some(name)) = self.find().await {
            let _ = self.client.zookeeper().delete(&self.queue.path(&name), None).await;
        }
    }

    /// `false` when the lock is not held.
    pub(super) async fn release(&self) -> Result<bool, LockError> {
        let Some(path) = self.state.borrow().acquired.clone() else {
            return Ok(false);
        };
        let zk = self.client.zookeeper();
        let deleted = self.client.call("kazoo: release", &[&path, &self.key()], || zk.delete(&path, None)).await;
        match deleted {
            Ok(()) | Err(ZkError::NoNode) => {
                self.state.borrow_mut().acquired = None;
                Ok(true)
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl<E: Environment> Lock<E> for KazooLock<E> {
    fn new(env: E, parent: &str) -> Self {
        Self(Kazoo::new(env, parent, false, Care::default()))
    }

    kazoo_calls!();
}

impl<E: Environment> Lock<E> for CheckedKazooLock<E> {
    fn new(env: E, parent: &str) -> Self {
        Self(Kazoo::new(env, parent, true, Care { owner: true, ..Care::default() }))
    }

    kazoo_calls!();
}
