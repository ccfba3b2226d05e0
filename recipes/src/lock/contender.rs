//! One who stands in the queue: the node is created once, found again when the reply is lost, and
//! never left behind.

use super::Queue;
use super::guard::{Guard, Target};
use super::search::find;
use crate::names::{join, leaf};
use crate::retry::{PAUSE, is_loss, retry};
use crate::{CreateMode, Environment, ZkError, ZooKeeper};

/// A place in the queue. Dropped, it is given up in the background.
pub struct Contender<E: Environment> {
    pub(super) queue: Queue<E>,
    /// Start of the name, with an id of this attempt alone.
    pub(super) prefix: String,
    pub(super) name: String,
    /// The session that the attempt began in, in hexadecimal, for checkpoints.
    pub(super) session: String,
    pub(super) guard: Guard<E>,
}

impl<E: Environment> Contender<E> {
    /// One with a fresh id and without a node yet.
    pub fn new(queue: &Queue<E>, label: &str) -> Self {
        let prefix = format!("{}-{label}", queue.env().unique_id());
        let parent = queue.parent().to_owned();
        let target = Target::Prefix { parent, prefix: prefix.clone() };
        let guard = Guard::new(queue.env(), target);
        let session = format!("{:x}", guard.session());
        Self { queue: queue.clone(), prefix, name: String::new(), session, guard }
    }

    /// The queue.
    pub fn queue(&self) -> &Queue<E> {
        &self.queue
    }

    /// The name of the own node, empty before it is known.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The session that the attempt began in, in hexadecimal.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The full path of what is known of the name.
    pub fn path(&self) -> String {
        let name = if self.name.is_empty() { &self.prefix } else { &self.name };
        join(self.queue.parent(), name)
    }

    /// Creates the node. When the reply is lost, looks for the id before it creates again, since a
    /// second sequential create would make a second node.
    pub async fn create(&mut self, mode: CreateMode) -> Result<(), ZkError> {
        let (env, parent) = (self.queue.env(), self.queue.parent());
        let zk = env.zookeeper();
        let name = loop {
            self.check_session()?;
            let key = [self.prefix.as_str(), self.session.as_str()];
            env.checkpoint("lock: create", &key);
            match zk.create(&join(parent, &self.prefix), b"", mode).await {
                Ok(path) => break leaf(&path).to_owned(),
                Err(error) if is_loss(error) => env.sleep(PAUSE).await,
                Err(error) => return Err(error),
            }
            let found = find(env, "lock: find", &key, parent, &self.prefix).await?;
            if let Some(name) = found {
                // In the same session throughout, the node's `ephemeral_owner` is that session. The
                // node of a former session goes any moment and must not be adopted.
                self.check_session()?;
                break name;
            }
        };
        self.guard.arm(Target::Path(join(parent, &name)));
        self.name = name;
        Ok(())
    }

    /// Creates the parent, as a container: the server sweeps it when nobody has contended for long.
    pub async fn create_parent(&self) -> Result<(), ZkError> {
        let (zk, parent) = (self.queue.env().zookeeper(), self.queue.parent());
        let key = [self.prefix.as_str(), self.session.as_str()];
        let create = || zk.create(parent, b"", CreateMode::Container);
        match retry(self.queue.env(), "lock: create parent", &key, create).await {
            Ok(_) | Err(ZkError::NodeExists) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Fails when the session is not the one that the attempt began in.
    pub(super) fn check_session(&self) -> Result<(), ZkError> {
        let now = self.queue.env().zookeeper().session_id();
        if now == self.guard.session() { Ok(()) } else { Err(ZkError::SessionExpired) }
    }
}
