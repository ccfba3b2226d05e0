//! Curator's `InterProcessMutex`, as far as one thread goes (§5.1): as it is, and with the checks that its reports ask for.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;

use futures_util::future::{Either, pending, select};

use super::{Acquired, Lock, LockError, Patience, Queue};
use crate::client::{CleanUp, Client, Options, Remains, RetryPolicy};
use crate::names::contenders;
use crate::{CreateMode, Environment, Watch, ZkError, ZooKeeper};

/// As shipped. Holders re-enter without a look at the session (Z150), and a node is taken for one's own by its name
/// alone, whichever session owns it (CURATOR-604).
#[derive(Clone)]
pub struct CuratorMutex<E: Environment>(pub(super) Mutex<E>);

/// With the two checks that the reports ask for: the owner of the lowest node is the current session, and a holder
/// re-enters only in the session that it holds in; and with a `sync` before the search for a lost create.
#[derive(Clone)]
pub struct CheckedCuratorMutex<E: Environment>(Mutex<E>);

/// What the two differ in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Care {
    /// A grant needs a node of the current session.
    pub owner: bool,
    /// A re-entry needs the session of the grant.
    pub reentry: bool,
    /// A node is not left to the background when acquiring fails.
    pub forgets_on_failure: bool,
}

/// What the mutex keeps for its thread (`LockData`).
struct Held {
    path: String,
    count: u32,
    session: i64,
}

#[derive(Clone)]
pub(super) struct Mutex<E: Environment> {
    client: Client<E>,
    queue: Queue<E>,
    care: Care,
    held: Rc<RefCell<Option<Held>>>,
}

impl<E: Environment> CuratorMutex<E> {
    /// With another retry policy than [`Options::default`].
    pub fn with_policy(env: E, parent: &str, policy: RetryPolicy) -> Self {
        Self(Mutex::new(env, parent, Options { policy, ..Options::default() }, Care::default()))
    }

    /// Without retries, but for the creation.
    pub fn without_retries(env: E, parent: &str) -> Self {
        Self::with_policy(env, parent, RetryPolicy::never())
    }

    /// What `isAcquiredInThisProcess` says.
    pub fn is_acquired(&self) -> bool {
        self.0.held.borrow().is_some()
    }
}

impl<E: Environment> Mutex<E> {
    pub(super) fn new(env: E, parent: &str, options: Options, care: Care) -> Self {
        let queue = Queue::new(env.clone(), parent);
        Self { client: Client::new(env, options), queue, care, held: Rc::default() }
    }

    pub(super) fn queue(&self) -> &Queue<E> {
        &self.queue
    }

    pub(super) async fn acquire(&self, patience: Patience) -> Result<Option<Acquired>, LockError> {
        let session = self.client.zookeeper().session_id();
        if let Some(held) = &mut *self.held.borrow_mut()
            && (!self.care.reentry || held.session == session)
        {
            held.count += 1;
            return Ok(Some(Acquired { path: held.path.clone() }));
        }
        let mut round = self.client.tries();
        for count in 0_u32.. {
            match self.attempt(patience, &count.min(9).to_string()).await {
                Ok(None) => return Ok(None),
                Ok(Some(path)) => {
                    let session = self.client.zookeeper().session_id();
                    *self.held.borrow_mut() = Some(Held { path: path.clone(), count: 1, session });
                    return Ok(Some(Acquired { path }));
                }
                // The node is gone with its session: again, with a new node at the end of the queue.
                Err(ZkError::NoNode) if round.anew("curator: anew", &[]).await => {}
                Err(error) => return Err(error.into()),
            }
        }
        unreachable!("the loop has no end of its own")
    }

    /// One node, from its creation until it is granted or gone.
    async fn attempt(&self, patience: Patience, round: &str) -> Result<Option<String>, ZkError> {
        let mode = CreateMode::EphemeralSequential;
        let parent = self.queue.parent();
        let name = self.client.create_protected(parent, "lock-", mode, &[round]).await?;
        let guard = CleanUp::new(&self.client, Remains::Node(self.queue.path(&name)));
        // The guard remembers the session that the node is of.
        let round = &format!("{round} {}", self.client.session());
        match self.turn(&name, patience, round).await {
            Ok(true) => {
                guard.disarm();
                Ok(Some(self.queue.path(&name)))
            }
            Ok(false) => guard.delete_now("curator: give up", &[round]).await.map(|()| None),
            Err(error) if self.care.forgets_on_failure => {
                guard.disarm();
                Err(error)
            }
            Err(error) => {
                // An error of the delete is only attached to the first one.
                let _ = guard.delete_now("curator: fail", &[round]).await;
                Err(error)
            }
        }
    }

    /// Waits for the turn of the node. `false`: the time is up.
    async fn turn(&self, name: &str, patience: Patience, round: &str) -> Result<bool, ZkError> {
        let (env, zk, parent) = (self.client.env(), self.client.zookeeper(), self.queue.parent());
        let mut deadline: Pin<Box<dyn Future<Output = ()>>> = match patience {
            Patience::Forever => Box::pin(pending()),
            Patience::For(wait) => {
                let env = env.clone();
                Box::pin(async move { env.sleep(wait).await })
            }
            Patience::None => Box::pin(std::future::ready(())),
        };
        loop {
            let list = || zk.children(parent);
            let names = match self.client.call("curator: list", &[name, round], list).await {
                Ok(children) => contenders(children),
                Err(ZkError::NoNode) => Vec::new(),
                Err(error) => return Err(error),
            };
            let at = names.iter().position(|other| other == name).ok_or(ZkError::NoNode)?;
            if at == 0 {
                return self.may_have(name, round).await.map(|()| true);
            }
            let (other, path) = (&names[at - 1], self.queue.path(&names[at - 1]));
            let look = || zk.watch_data(&path);
            let mut watch = match self.client.call("curator: watch", &[name, other, round], look).await {
                Ok((_, _, watch)) => watch,
                Err(ZkError::NoNode) => continue,
                Err(error) => return Err(error),
            };
            env.checkpoint("curator: wait", &[name, other, round]);
            // Any event wakes, those of the session too: only the list counts.
            let event = std::pin::pin!(watch.next());
            if let Either::Left(_) = select(&mut deadline, event).await {
                return Ok(false);
            }
        }
    }

    /// Whether the lowest node is a node of the current session, where that is looked at.
    async fn may_have(&self, name: &str, round: &str) -> Result<(), ZkError> {
        if !self.care.owner {
            return Ok(());
        }
        let (zk, path) = (self.client.zookeeper(), self.queue.path(name));
        match self.client.call("curator: owner", &[name, round], || zk.exists(&path)).await? {
            Some(stat) if stat.ephemeral_owner == zk.session_id() => Ok(()),
            _ => Err(ZkError::NoNode),
        }
    }

    pub(super) async fn release(&self) -> Result<(), LockError> {
        let path = {
            let mut slot = self.held.borrow_mut();
            let held = slot.as_mut().ok_or(LockError::NotHeld)?;
            held.count -= 1;
            if held.count > 0 {
                return Ok(());
            }
            // Whatever becomes of the delete, the thread holds no more.
            slot.take().map(|held| held.path).unwrap_or_default()
        };
        self.give_back(path).await
    }

    async fn give_back(&self, path: String) -> Result<(), LockError> {
        let guard = CleanUp::new(&self.client, Remains::Node(path));
        Ok(guard.delete_now("curator: release", &[]).await?)
    }
}

/// A lock that leaves it to the caller to know which thread holds it, and how often.
#[allow(async_fn_in_trait, reason = "a recipe runs in the task that polls it: nobody asks for Send")]
pub trait Unowned<E: Environment>: Lock<E> {
    /// Whether a holder may acquire again only in the session of its grant.
    const REENTRY_NEEDS_THE_SESSION: bool;

    /// Deletes the node of a grant, whoever asks. When that fails the background goes on, and the error is answered all the
    /// same.
    async fn give_back(&self, lock: Acquired) -> Result<(), LockError>;
}

impl<E: Environment> Unowned<E> for CuratorMutex<E> {
    const REENTRY_NEEDS_THE_SESSION: bool = false;

    async fn give_back(&self, lock: Acquired) -> Result<(), LockError> {
        self.0.give_back(lock.path).await
    }
}

impl<E: Environment> Unowned<E> for CheckedCuratorMutex<E> {
    const REENTRY_NEEDS_THE_SESSION: bool = true;

    async fn give_back(&self, lock: Acquired) -> Result<(), LockError> {
        self.0.give_back(lock.path).await
    }
}

impl<E: Environment> Lock<E> for CuratorMutex<E> {
    fn new(env: E, parent: &str) -> Self {
        Self(Mutex::new(env, parent, Options::default(), Care::default()))
    }

    curator_calls!();
}

impl<E: Environment> Lock<E> for CheckedCuratorMutex<E> {
    fn new(env: E, parent: &str) -> Self {
        let options = Options { syncs_before_search: true, ..Options::default() };
        Self(Mutex::new(env, parent, options, Care { owner: true, reentry: true, ..Care::default() }))
    }

    curator_calls!();
}
