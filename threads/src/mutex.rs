//! `InterProcessMutex`: re-entrant, owned by a thread (§5.1).

use std::marker::PhantomData;
use std::time::Duration;

use overtake_recipes::Acquired;
use overtake_recipes::lock::{CuratorMutex, Unowned};

use crate::block_on::{Interrupt, Interrupted};
use crate::client::{Client, Env, Service};
use crate::error::Error;
use crate::owners::{Owners, Released};
use crate::sync::Threads;

/// A lock that a thread of this process can hold.
pub trait InterProcessLock<S: Threads>: Send + Sync {
    /// Waits until the calling thread holds the lock.
    ///
    /// # Errors
    /// Whatever ends the attempt; nothing is held then.
    fn acquire(&self) -> Result<(), Error>;
    /// As [`acquire`](Self::acquire), for so long at most. `false`: the time was up, or the client was closed.
    ///
    /// # Errors
    /// As [`acquire`](Self::acquire).
    fn acquire_timeout(&self, time: Duration) -> Result<bool, Error>;
    /// Releases it once.
    ///
    /// # Errors
    /// When the calling thread may not, or the service did not answer.
    fn release(&self) -> Result<(), Error>;
    /// Whether any thread of this process holds it, as far as the object knows.
    fn is_acquired_in_this_process(&self) -> bool;
}

/// Curator's re-entrant mutex for threads. `L` is the recipe under it: as shipped, or with the checks that its reports
/// ask for.
///
/// - A thread that holds it may acquire again, without a word to the service and without a look at the session; it must
///   release as often.
/// - Each *object* has its own owners: a thread that acquires by a second object on the same path waits for itself.
/// - A lost session changes nothing here: the object goes on saying that it is held. Listen to the connection.
pub struct InterProcessMutex<S: Threads, V: Service, L = CuratorMutex<Env<S, V>>> {
    client: Client<S, V>,
    base: String,
    owners: Owners<S, Grant>,
    recipe: PhantomData<fn() -> L>,
}

/// By which node a thread holds, and in which session it was granted.
struct Grant {
    node: String,
    session: i64,
}

impl<S: Threads, V: Service> InterProcessMutex<S, V> {
    /// A mutex on the path. Sends nothing.
    pub fn new(client: &Client<S, V>, base: &str) -> Self {
        Self::over(client, base)
    }
}

impl<S: Threads, V: Service, L: Unowned<Env<S, V>>> InterProcessMutex<S, V, L> {
    /// A mutex over another recipe.
    pub fn over(client: &Client<S, V>, base: &str) -> Self {
        Self { client: client.clone(), base: base.into(), owners: Owners::new(), recipe: PhantomData }
    }

    pub(crate) fn client(&self) -> &Client<S, V> {
        &self.client
    }

    /// The path.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// As [`acquire`](InterProcessLock::acquire), or as long as the time is not up, until the thread is interrupted. Then
    /// the node is taken away in the background, and the interrupt stays set.
    ///
    /// # Errors
    /// [`Error::Interrupted`], and as [`acquire`](InterProcessLock::acquire).
    pub fn acquire_or(&self, interrupt: &Interrupt<S>, time: Option<Duration>) -> Result<bool, Error> {
        if self.again() {
            return Ok(true);
        }
        let attempt = self.client.run_or(interrupt, |env| self.attempt(env, time));
        match attempt {
            Ok(granted) => granted.map(|granted| self.granted(granted)),
            Err(Interrupted) => Err(Error::Interrupted),
        }
    }

    /// The calling thread holds already, and now once more. As shipped, nobody asks whether the session is still there.
    fn again(&self) -> bool {
        let Some(hold) = self.owners.own() else { return false };
        if L::REENTRY_NEEDS_THE_SESSION && hold.granted.session != self.client.session() {
            self.owners.forget();
            return false;
        }
        self.owners.again()
    }

    async fn attempt(&self, env: Env<S, V>, time: Option<Duration>) -> Result<Option<Grant>, Error> {
        let lock = L::new(env.clone(), &self.base);
        let closed = || env.client().is_closed();
        let granted = match time {
            None => lock.acquire().await.map(Some),
            Some(time) if time.is_zero() => lock.try_acquire().await,
            Some(time) => lock.acquire_timeout(time).await,
        };
        match granted {
            // Curator's timed wait ends without a word when the client is closed (§5.1, 5).
            Err(_) if closed() && time.is_some() => Ok(None),
            Err(_) if closed() => Err(Error::Lost { base: self.base.clone() }),
            Err(error) => Err(Error::of(error, &self.base)),
            // By now the client may have another session than the one that was granted.
            Ok(granted) => Ok(granted.map(|acquired| Grant { node: acquired.path, session: env.created_in() })),
        }
    }

    fn granted(&self, granted: Option<Grant>) -> bool {
        let is_granted = granted.is_some();
        if let Some(grant) = granted {
            self.owners.hold(grant);
        }
        is_granted
    }

    fn go(&self, time: Option<Duration>) -> Result<bool, Error> {
        if self.again() {
            return Ok(true);
        }
        let granted = self.client.run(|env| self.attempt(env, time))?;
        Ok(self.granted(granted))
    }

    /// The path of the node by which the calling thread holds, if it does.
    pub fn node(&self) -> Option<String> {
        self.owners.own().map(|hold| hold.granted.node.clone())
    }

    /// Whether the calling thread holds it, as far as the object knows.
    pub fn is_owned_by_current_thread(&self) -> bool {
        self.owners.own().is_some()
    }
}

impl<S: Threads, V: Service, L: Unowned<Env<S, V>>> InterProcessLock<S> for InterProcessMutex<S, V, L> {
    fn acquire(&self) -> Result<(), Error> {
        match self.go(None)? {
            true => Ok(()),
            false => Err(Error::Lost { base: self.base.clone() }),
        }
    }

    fn acquire_timeout(&self, time: Duration) -> Result<bool, Error> {
        self.go(Some(time))
    }

    fn release(&self) -> Result<(), Error> {
        let hold = match self.owners.release() {
            Released::NotOwner => return Err(Error::NotOwner { base: self.base.clone() }),
            Released::Still(_) => return Ok(()),
            Released::Last(hold) => hold,
        };
        let lock = Acquired { path: hold.granted.node.clone() };
        let deleted = self.client.run(|env| async move { L::new(env, &self.base).give_back(lock).await });
        // Whatever became of the delete, the thread holds no more.
        self.owners.forget();
        deleted.map_err(|error| Error::of(error, &self.base))
    }

    fn is_acquired_in_this_process(&self) -> bool {
        self.owners.anybody()
    }
}
