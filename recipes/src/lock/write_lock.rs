//! ZooKeeper's own `WriteLock` (`zookeeper-recipes-lock`, §5.9), repaired. As it is shipped it stands among the faulty
//! ones, whole and slip by slip.

use std::pin::Pin;
use std::time::Duration;

use futures_util::future::{Either, pending, select};

use super::turn::WatchOf;
use super::{Acquired, Lock, LockError, Patience, Queue};
use crate::client::{CleanUp, Client, Options, Remains, RetryPolicy};
use crate::names::{join, leaf, suffix};
use crate::{CreateMode, Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};

/// `lock()` is run once by the caller and again by each event of the predecessor's watch. Repaired: it lists again when
/// the predecessor is gone already, it keeps the whole path of a node that it finds again, each lock has an id of its
/// own, it syncs before it searches, and `unlock` insists.
#[derive(Clone)]
pub struct WriteLock<E: Environment>(pub(super) Writer<E>);

/// The slips of the shipped one; none of them in the repaired lock.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slips {
    /// `exists` finds the predecessor gone: the loop is left, nobody lists again, and a watch for its creation stays.
    pub no_relist: bool,
    /// A node that is found again is kept by its bare name, while all comparisons are between paths.
    pub bare_name: bool,
    /// The prefix is the session's id, so the locks of one session take each other's node.
    pub session_prefix: bool,
    /// The server that is asked for the own node may not know of it yet: no `sync` before the search.
    pub no_sync: bool,
    /// `unlock` sends one delete for what it knows of, and does not repeat it.
    pub plain_unlock: bool,
}

#[derive(Clone)]
pub(super) struct Writer<E: Environment> {
    client: Client<E>,
    queue: Queue<E>,
    prefix: String,
    slips: Slips,
}

/// What `lock()` came to.
enum Locked<E: Environment> {
    Owner,
    /// Somebody else owns it; the next event runs `lock()` again.
    Waits(WatchOf<E>),
}

/// Takes the node away in the background when the caller goes away, as `unlock()` in a `finally` block does.
struct Unlock<E: Environment> {
    writer: Writer<E>,
    id: Option<String>,
    /// Finds the node also when its create is not answered yet; the shipped lock knows of no such node.
    search: Option<CleanUp<E>>,
}

impl<E: Environment> Unlock<E> {
    fn new(writer: &Writer<E>) -> Self {
        let remains = Remains::Protected { parent: writer.queue.parent().to_owned(), prefix: writer.prefix.clone() };
        let search = (!writer.slips.plain_unlock).then(|| CleanUp::new(&writer.client, remains));
        Self { writer: writer.clone(), id: None, search }
    }

    /// Lets the node be, and answers its path.
    fn keep(mut self) -> String {
        if let Some(search) = self.search.take() {
            search.disarm();
        }
        self.id.take().unwrap_or_default()
    }
}

impl<E: Environment> Drop for Unlock<E> {
    fn drop(&mut self) {
        if let (Some(id), None) = (self.id.take(), &self.search) {
            let writer = self.writer.clone();
            self.writer.client.env().spawn(async move {
                let _ = writer.unlock(&id).await;
            });
        }
    }
}

impl<E: Environment> Writer<E> {
    pub(super) fn new(env: E, parent: &str, slips: Slips) -> Self {
        // `retryOperation`: ten tries, and the end of the session is thrown at once.
        let ten = RetryPolicy::Times { retries: 9, pause: Duration::from_millis(500) };
        let options = Options { policy: RetryPolicy::SessionFailed(Box::new(ten)), syncs_before_search: false };
        let prefix = match slips.session_prefix {
            true => format!("x-{:x}-", env.zookeeper().session_id()),
            false => format!("x-{}-", env.unique_id()),
        };
        let queue = Queue::new(env.clone(), parent);
        Self { client: Client::new(env, options), queue, prefix, slips }
    }

    pub(super) fn queue(&self) -> &Queue<E> {
        &self.queue
    }

    /// Runs `lock()` now and at each event, until it owns the lock or the time is up; then it unlocks.
    pub(super) async fn acquire(&self, patience: Patience) -> Result<Option<Acquired>, LockError> {
        let mut unlock = Unlock::new(self);
        match self.wait(&mut unlock.id, patience).await {
            Ok(true) => Ok(Some(Acquired { path: unlock.keep() })),
            Ok(false) => {
                let id = unlock.keep();
                self.unlock(&id).await.map(|()| None)
            }
            Err(error) => {
                if error == ZkError::SessionExpired {
                    // The node goes with the session.
                    unlock.keep();
                }
                Err(error.into())
            }
        }
    }

    /// `false`: the time is up.
    async fn wait(&self, id: &mut Option<String>, patience: Patience) -> Result<bool, ZkError> {
        self.ensure_path().await?;
        let mut deadline: Pin<Box<dyn Future<Output = ()>>> = match patience {
            Patience::Forever => Box::pin(pending()),
            Patience::For(wait) => {
                let env = self.client.env().clone();
                Box::pin(async move { env.sleep(wait).await })
            }
            Patience::None => Box::pin(std::future::ready(())),
        };
        loop {
            let mut watch = match self.lock_with_retries(id).await? {
                Locked::Owner => return Ok(true),
                Locked::Waits(watch) => watch,
            };
            self.client.env().checkpoint("write lock: wait", &[id.as_deref().unwrap_or_default(), &self.prefix]);
            match select(&mut deadline, std::pin::pin!(watch.next())).await {
                Either::Left(_) => return Ok(false),
                Either::Right((WatchedEvent::Session(SessionState::Expired), _)) => {
                    return Err(ZkError::SessionExpired);
                }
                Either::Right(_) => {}
            }
        }
    }

    /// The whole operation again after a lost connection; what it found out so far stays in `id`.
    async fn lock_with_retries(&self, id: &mut Option<String>) -> Result<Locked<E>, ZkError> {
        let mut tries = self.client.tries();
        loop {
            let known = id.clone().unwrap_or_default();
            let key = [known.as_str(), self.prefix.as_str()];
            tries.checkpoint("write lock: lock", &key);
            match self.lock(id).await {
                Err(error) if tries.again(error, "write lock: again", &key).await => {}
                answer => return answer,
            }
        }
    }

    /// `execute()` of the `LockZooKeeperOperation`.
    async fn lock(&self, id: &mut Option<String>) -> Result<Locked<E>, ZkError> {
        let (zk, parent) = (self.client.zookeeper(), self.queue.parent());
        loop {
            let own = match id {
                Some(own) => own.clone(),
                None => id.insert(self.find_or_create().await?).clone(),
            };
            // Paths by number and then by text, as `ZNodeName` has them.
            let mut paths: Vec<String> = zk.children(parent).await?.iter().map(|name| join(parent, name)).collect();
            paths.retain(|path| suffix(path).is_some());
            paths.sort_by_key(|path| suffix(path));
            if paths.is_empty() {
                *id = None;
                continue;
            }
            let before_own = |path: &&String| match suffix(path).cmp(&suffix(&own)) {
                std::cmp::Ordering::Equal => **path != own,
                order => order.is_lt(),
            };
            let Some(predecessor) = paths.iter().rfind(before_own) else {
                if paths.first() == Some(&own) {
                    return Ok(Locked::Owner);
                }
                // The own node is gone, and the session is not.
                *id = None;
                continue;
            };
            if self.slips.no_relist {
                let (_, watch) = zk.watch_exists(predecessor).await?;
                return Ok(Locked::Waits(watch));
            }
            // `getData` leaves no watch on a node that is gone.
            match zk.watch_data(predecessor).await {
                Ok((_, _, watch)) => return Ok(Locked::Waits(watch)),
                Err(ZkError::NoNode) => {}
                Err(error) => return Err(error),
            }
        }
    }

    async fn find_or_create(&self) -> Result<String, ZkError> {
        let (zk, parent) = (self.client.zookeeper(), self.queue.parent());
        if !self.slips.no_sync {
            zk.sync(parent).await?;
        }
        let found = zk.children(parent).await?.into_iter().find(|name| name.starts_with(&self.prefix));
        match found {
            Some(name) if self.slips.bare_name => Ok(name),
            Some(name) => Ok(join(parent, &name)),
            None => zk.create(&join(parent, &self.prefix), b"", CreateMode::EphemeralSequential).await,
        }
    }

    async fn ensure_path(&self) -> Result<(), ZkError> {
        let (zk, parent) = (self.client.zookeeper(), self.queue.parent());
        let ensure = || async {
            if zk.exists(parent).await?.is_none() {
                match zk.create(parent, b"", CreateMode::Persistent).await {
                    Ok(_) | Err(ZkError::NodeExists) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        };
        self.client.call("write lock: path", &[&self.prefix], ensure).await
    }

    pub(super) async fn unlock(&self, id: &str) -> Result<(), LockError> {
        let zk = self.client.zookeeper();
        if !id.starts_with('/') {
            // Java's client checks the path before it sends anything.
            return Err(LockError::Zk(ZkError::BadArguments));
        }
        let delete = || zk.delete(id, None);
        let deleted = match self.slips.plain_unlock {
            true => {
                self.client.env().checkpoint("write lock: unlock", &[id]);
                delete().await
            }
            false => self.client.call("write lock: unlock", &[id, leaf(id)], delete).await,
        };
        match deleted {
            Ok(()) | Err(ZkError::NoNode) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl<E: Environment> Lock<E> for WriteLock<E> {
    fn new(env: E, parent: &str) -> Self {
        Self(Writer::new(env, parent, Slips::default()))
    }

    write_lock_calls!();
}
