//! `InterProcessReadWriteLock` (§5.2), over the official recipe. Who owns, who re-enters, and what a release does are
//! Curator's. What a caller can see of the difference:
//!
//! - A reader waits for the nearest writer before it; Curator's waits for the first one in the list.
//! - Whose session ends during the wait is told so ([`ZkError::SessionExpired`](overtake_recipes::ZkError)); Curator's takes
//!   a new node, at the end of the queue.
//! - While the connection is broken an acquire goes on trying; Curator's ends with its retry policy.
//! - The nodes are called `read-` and `write-`, and not `__READ__` and `__WRIT__`: the two do not see each other.

use std::sync::Arc;
use std::time::Duration;

use overtake_recipes::Acquired;
use overtake_recipes::read_write::{Access, ReadWrite, ReadWriteLock};

use crate::block_on::Interrupt;
use crate::client::{Client, Env, Service, delete_for_certain};
use crate::error::Error;
use crate::mutex::InterProcessLock;
use crate::owners::{Owners, Released};
use crate::sync::Threads;

/// Readers together or a writer alone; both are re-entrant and owned by a thread.
///
/// A writer may take the read lock too, and keeps its place in the queue by it: so it may *downgrade*. A reader that
/// wants to write waits for itself.
pub struct InterProcessReadWriteLock<S: Threads, V: Service> {
    core: Arc<Core<S, V>>,
}

struct Core<S: Threads, V: Service> {
    client: Client<S, V>,
    base: String,
    readers: Owners<S, String>,
    writers: Owners<S, String>,
}

/// One of the two locks.
pub struct Side<S: Threads, V: Service> {
    core: Arc<Core<S, V>>,
    access: Access,
}

impl<S: Threads, V: Service> InterProcessReadWriteLock<S, V> {
    /// A lock on the path. Sends nothing.
    pub fn new(client: &Client<S, V>, base: &str) -> Self {
        let core = Core { client: client.clone(), base: base.into(), readers: Owners::new(), writers: Owners::new() };
        Self { core: Arc::new(core) }
    }

    /// The lock to read.
    pub fn read_lock(&self) -> Side<S, V> {
        Side { core: self.core.clone(), access: Access::Read }
    }

    /// The lock to write.
    pub fn write_lock(&self) -> Side<S, V> {
        Side { core: self.core.clone(), access: Access::Write }
    }
}

impl<S: Threads, V: Service> Side<S, V> {
    fn owners(&self) -> &Owners<S, String> {
        match self.access {
            Access::Read => &self.core.readers,
            Access::Write => &self.core.writers,
        }
    }

    /// Whether the calling thread holds it.
    pub fn is_owned_by_current_thread(&self) -> bool {
        self.owners().own().is_some()
    }

    /// The path of the node by which the calling thread holds, if it does.
    pub fn node(&self) -> Option<String> {
        self.owners().own().map(|hold| hold.granted.clone())
    }

    /// As [`acquire`](InterProcessLock::acquire), or as long as the time is not up, until the thread is interrupted. Then
    /// the node is taken away in the background, and the interrupt stays set.
    ///
    /// # Errors
    /// [`Error::Interrupted`], and as [`acquire`](InterProcessLock::acquire).
    pub fn acquire_or(&self, interrupt: &Interrupt<S>, time: Option<Duration>) -> Result<bool, Error> {
        if self.owners().again() {
            return Ok(true);
        }
        let attempt = self.core.client.run_or(interrupt, |env| self.attempt(env, time));
        let Some(acquired) = attempt.unwrap_or(Err(Error::Interrupted))? else { return Ok(false) };
        self.owners().hold(acquired.path);
        Ok(true)
    }

    async fn attempt(&self, env: Env<S, V>, time: Option<Duration>) -> Result<Option<Acquired>, Error> {
        let lock = ReadWriteLock::new(env.clone(), &self.core.base);
        let writes = if self.access == Access::Read { self.core.writers.own() } else { None };
        let granted = match (writes, time) {
            (Some(write), _) => lock.downgrade(&Acquired { path: write.granted.clone() }).await.map(Some),
            (None, Some(time)) => lock.acquire_timeout(self.access, time).await,
            (None, None) => lock.acquire(self.access).await.map(Some),
        };
        match granted {
            Err(_) if env.client().is_closed() && time.is_some() => Ok(None),
            Err(_) if env.client().is_closed() => Err(Error::Lost { base: self.core.base.clone() }),
            granted => granted.map_err(|error| Error::of(error, &self.core.base)),
        }
    }

    fn go(&self, time: Option<Duration>) -> Result<bool, Error> {
        if self.owners().again() {
            return Ok(true);
        }
        let Some(acquired) = self.core.client.run(|env| self.attempt(env, time))? else { return Ok(false) };
        self.owners().hold(acquired.path);
        Ok(true)
    }
}

impl<S: Threads, V: Service> InterProcessLock<S> for Side<S, V> {
    fn acquire(&self) -> Result<(), Error> {
        self.go(None).map(drop)
    }

    fn acquire_timeout(&self, time: Duration) -> Result<bool, Error> {
        self.go(Some(time))
    }

    fn release(&self) -> Result<(), Error> {
        let hold = match self.owners().release() {
            Released::NotOwner => return Err(Error::NotOwner { base: self.core.base.clone() }),
            Released::Still(_) => return Ok(()),
            Released::Last(hold) => hold,
        };
        let node = hold.granted.clone();
        let deleted = self.core.client.run(|env| delete_for_certain(env, "read-write: release", node));
        // Whatever became of the delete, the thread holds no more.
        self.owners().forget();
        deleted
    }

    fn is_acquired_in_this_process(&self) -> bool {
        self.owners().anybody()
    }
}
