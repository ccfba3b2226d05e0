//! `InterProcessSemaphoreV2` with leases, and the mutex that is a semaphore with one of them (§5.3).

use std::time::Duration;

use futures_util::future::{Either, select};
use overtake_recipes::Environment;
use overtake_recipes::semaphore::{LeaseSemaphore, Semaphore};

use crate::block_on::{Interrupt, Interrupted};
use crate::client::{Client, Env, Service, delete_for_certain};
use crate::error::Error;
use crate::mutex::InterProcessLock;
use crate::sync::Threads;

/// Curator's semaphore for threads. How many leases there may be is each object's own belief, and every child of the folder
/// counts as one.
pub struct InterProcessSemaphoreV2<S: Threads, V: Service> {
    client: Client<S, V>,
    path: String,
    leases: usize,
}

/// A lease. It belongs to no thread. A lost session gives it back without asking.
#[must_use = "a lease is given back by closing it"]
pub struct Lease<S: Threads, V: Service> {
    client: Client<S, V>,
    node: S::Mutex<Option<String>>,
}

impl<S: Threads, V: Service> InterProcessSemaphoreV2<S, V> {
    /// A semaphore with so many leases under the path, which must be there. Sends nothing.
    pub fn new(client: &Client<S, V>, path: &str, leases: usize) -> Self {
        Self { client: client.clone(), path: path.into(), leases }
    }

    /// Waits for a lease.
    ///
    /// # Errors
    /// Whatever ends the attempt; nothing is left behind then.
    pub fn acquire(&self) -> Result<Lease<S, V>, Error> {
        self.client.run(|env| self.one(env, None)).and_then(|lease| lease.ok_or(Error::NotAcquired))
    }

    /// As [`acquire`](Self::acquire), for so long at most.
    ///
    /// # Errors
    /// As [`acquire`](Self::acquire).
    pub fn acquire_timeout(&self, time: Duration) -> Result<Option<Lease<S, V>>, Error> {
        self.client.run(|env| self.one(env, Some(time)))
    }

    /// As [`acquire`](Self::acquire), until the thread is interrupted.
    ///
    /// # Errors
    /// [`Error::Interrupted`], and as [`acquire`](Self::acquire).
    pub fn acquire_or(&self, interrupt: &Interrupt<S>) -> Result<Lease<S, V>, Error> {
        match self.client.run_or(interrupt, |env| self.one(env, None)) {
            Ok(lease) => lease.and_then(|lease| lease.ok_or(Error::NotAcquired)),
            Err(Interrupted) => Err(Error::Interrupted),
        }
    }

    /// So many leases, one after the other, holding those that are had already. When one cannot be had all are given
    /// back. Two that each want several of too few leases starve until somebody's time is up.
    ///
    /// # Errors
    /// As [`acquire`](Self::acquire).
    pub fn acquire_many(&self, number: usize, time: Option<Duration>) -> Result<Option<Vec<Lease<S, V>>>, Error> {
        let until = time.map(|time| S::now() + time);
        let mut leases = Vec::new();
        let mut ended = Ok(());
        while leases.len() < number {
            let rest = until.map(|until| until.saturating_sub(S::now()));
            match self.client.run(|env| self.one(env, rest)) {
                Ok(Some(lease)) => leases.push(lease),
                Ok(None) => break,
                Err(error) => {
                    ended = Err(error);
                    break;
                }
            }
        }
        if leases.len() == number {
            return Ok(Some(leases));
        }
        for lease in leases {
            // The error that led here says more.
            let _ = lease.close();
        }
        ended.map(|()| None)
    }

    async fn one(&self, env: Env<S, V>, time: Option<Duration>) -> Result<Option<Lease<S, V>>, Error> {
        let semaphore = LeaseSemaphore::new(env.clone(), &self.path, self.leases);
        let granted = {
            let acquire = std::pin::pin!(semaphore.acquire());
            match time {
                None => acquire.await.map(Some),
                Some(time) => match select(acquire, std::pin::pin!(env.sleep(time))).await {
                    Either::Left((granted, _)) => granted.map(Some),
                    Either::Right(_) => Ok(None),
                },
            }
        };
        let granted = granted.map_err(|error| Error::of(error, &self.path))?;
        Ok(granted.map(|acquired| Lease { client: self.client.clone(), node: S::mutex("lease", Some(acquired.path)) }))
    }
}

impl<S: Threads, V: Service> Lease<S, V> {
    /// The path of its node, until it is closed.
    pub fn node(&self) -> Option<String> {
        S::lock(&self.node).clone()
    }

    /// Gives it back. A second time does nothing. From any thread.
    ///
    /// # Errors
    /// When the service does not answer, or refuses; the background goes on then. A node that is gone is no error.
    pub fn close(&self) -> Result<(), Error> {
        let Some(path) = S::lock(&self.node).take() else { return Ok(()) };
        self.client.run(|env| delete_for_certain(env, "semaphore: release", path))
    }
}

/// `InterProcessSemaphoreMutex`: not re-entrant (a thread that acquires twice waits for itself), released by any thread.
pub struct InterProcessSemaphoreMutex<S: Threads, V: Service> {
    semaphore: InterProcessSemaphoreV2<S, V>,
    lease: S::Mutex<Option<Lease<S, V>>>,
}

impl<S: Threads, V: Service> InterProcessSemaphoreMutex<S, V> {
    /// A mutex under the path, which must be there. Sends nothing.
    pub fn new(client: &Client<S, V>, path: &str) -> Self {
        let semaphore = InterProcessSemaphoreV2::new(client, path, 1);
        Self { semaphore, lease: S::mutex("lease that the mutex keeps", None) }
    }

    /// The path of the node by which it is held, if it is.
    pub fn node(&self) -> Option<String> {
        S::lock(&self.lease).as_ref().and_then(Lease::node)
    }
}

impl<S: Threads, V: Service> InterProcessLock<S> for InterProcessSemaphoreMutex<S, V> {
    fn acquire(&self) -> Result<(), Error> {
        let lease = self.semaphore.acquire()?;
        *S::lock(&self.lease) = Some(lease);
        Ok(())
    }

    fn acquire_timeout(&self, time: Duration) -> Result<bool, Error> {
        let Some(lease) = self.semaphore.acquire_timeout(time)? else { return Ok(false) };
        *S::lock(&self.lease) = Some(lease);
        Ok(true)
    }

    fn release(&self) -> Result<(), Error> {
        // Taken out before it is closed: closing lets another thread put its own there (CURATOR-376).
        let lease = S::lock(&self.lease).take();
        lease.ok_or(Error::NotAcquired)?.close()
    }

    fn is_acquired_in_this_process(&self) -> bool {
        S::lock(&self.lease).is_some()
    }
}
