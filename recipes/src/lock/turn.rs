//! What a contender does until it is its turn, and then.

use super::guard::Target;
use super::{Acquired, Contender, LockError};
use crate::names::contenders;
use crate::retry::retry;
use crate::{Environment, EventKind, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};

/// The kind of watch that an environment's client hands out.
pub type WatchOf<E> = <<E as Environment>::ZooKeeper as ZooKeeper>::Watch;

impl<E: Environment> Contender<E> {
    /// The contenders, lowest sequence number first, without a watch.
    pub async fn list(&self, place: &'static str) -> Result<Vec<String>, LockError> {
        let (env, parent) = (self.queue.env(), self.queue.parent());
        let zk = env.zookeeper();
        let key = [self.name.as_str(), self.session.as_str()];
        match retry(env, place, &key, || zk.children(parent)).await {
            Ok(children) => Ok(contenders(children)),
            // Only an empty parent can go.
            Err(ZkError::NoNode) => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    /// Where the own node stands, 0 for the lowest. `None`: it is gone.
    pub fn position(&self, names: &[String]) -> Option<usize> {
        names.iter().position(|name| *name == self.name)
    }

    /// Watches another contender's node. `None`: it is gone, and no watch is set. (`watch_exists`
    /// would leave a watch for the creation of a node that is never created again.)
    pub async fn watch(&self, other: &str) -> Result<Option<WatchOf<E>>, LockError> {
        let env = self.queue.env();
        let (zk, path) = (env.zookeeper(), self.queue.path(other));
        let key = [self.name.as_str(), other, &self.session];
        match retry(env, "lock: watch", &key, || zk.watch_data(&path)).await {
            Ok((_, _, watch)) => Ok(Some(watch)),
            Err(ZkError::NoNode) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits until something happens to the watched node (`other` for the checkpoint).
    pub async fn wait(&self, other: &str, watch: &mut impl Watch) -> Result<EventKind, LockError> {
        loop {
            let key = [self.name.as_str(), other, &self.session];
            self.queue.env().checkpoint("lock: wait", &key);
            match watch.next().await {
                WatchedEvent::Node { kind, .. } => return Ok(kind),
                WatchedEvent::Session(SessionState::Expired) => return Err(LockError::SessionLost),
                // Nothing is known while disconnected, and nothing is lost: the client sets the
                // watch again when it is connected again, and the server tells what was missed.
                WatchedEvent::Session(_) => {}
            }
        }
    }

    /// It is the contender's turn: keeps the node.
    pub fn granted(self) -> Result<Acquired, LockError> {
        self.check_session()?;
        let path = self.path();
        self.forget();
        Ok(Acquired { path })
    }

    /// Takes the node away and waits for it; in the background if the future is dropped.
    pub async fn leave(self, place: &'static str) -> Result<(), LockError> {
        Ok(self.guard.finish(place).await?)
    }

    /// Lets the node be, if there is one.
    pub fn forget(mut self) {
        self.guard.disarm();
    }

    /// Takes a node for the own one that was created without the care of
    /// [`create`](Self::create).
    pub fn adopt(&mut self, name: &str) {
        self.guard.arm(Target::Path(self.queue.path(name)));
        self.name = name.to_owned();
    }
}
