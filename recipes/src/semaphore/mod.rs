//! The semaphore: at most so many leases at once.
//!
//! The recipe, as Curator's `InterProcessSemaphoreV2` has it:
//!
//! 1. Take the [lock](crate::lock) under `<path>/locks`, so that one client at a time waits for a lease.
//! 2. Create an ephemeral, sequential node under `<path>/leases`.
//! 3. List the leases **with a watch**. When there are no more than allowed, the lease is granted; otherwise wait for a
//!    change and repeat this step.
//! 4. Release the lock. Giving back the lease is deleting its node.
//!
//! How many leases are allowed is each client's own belief. A lost session gives the lease back without asking.
pub mod faulty;

use crate::lock::guard::{Guard, Target};
use crate::lock::{Acquired, Contender, Lock, LockError, PredecessorLock, Queue};
use crate::names::{contenders, join};
use crate::retry::retry;
use crate::{CreateMode, Environment, ZkError, ZooKeeper};

/// A semaphore, right or spoilt. What is provided here is right; a spoilt one overrides what it spoils.
#[allow(async_fn_in_trait, reason = "a recipe runs in the task that polls it: nobody asks for Send")]
pub trait Semaphore<E: Environment>: Sized {
    /// A semaphore with so many permits under `path`, below which `locks` and `leases` must be or be makeable. Sends nothing.
    fn new(env: E, path: &str, permits: usize) -> Self;

    /// Where the leases are.
    fn leases(&self) -> &Queue<E>;

    /// Waits for a lease. Dropping the future leaves nothing behind.
    async fn acquire(&self) -> Result<Acquired, LockError>;

    /// Deletes the lease's node, over and over until it is gone; in the background if the future is dropped.
    async fn release(&self, lease: Acquired) -> Result<(), LockError> {
        let guard = Guard::new(self.leases().env(), Target::Path(lease.path));
        Ok(guard.finish("semaphore: release").await?)
    }
}

/// The recipe.
#[derive(Clone)]
pub struct LeaseSemaphore<E: Environment> {
    mutex: PredecessorLock<E>,
    leases: Queue<E>,
    permits: usize,
}

impl<E: Environment> Semaphore<E> for LeaseSemaphore<E> {
    fn new(env: E, path: &str, permits: usize) -> Self {
        let mutex = PredecessorLock::new(env.clone(), &join(path, "locks"));
        Self { mutex, leases: Queue::new(env, &join(path, "leases")), permits }
    }

    fn leases(&self) -> &Queue<E> {
        &self.leases
    }

    async fn acquire(&self) -> Result<Acquired, LockError> {
        let env = self.leases.env();
        let turn = self.mutex.acquire().await?.path;
        // Given back on every way out.
        let guard = Guard::new(env, Target::Path(turn.clone()));
        let lease = env.keeping(&[&turn], lease(&self.leases, self.permits, join_leases)).await?;
        let key = [lease.name(), lease.session()];
        env.keeping(&key, guard.finish("semaphore: next")).await?;
        lease.granted()
    }
}

async fn join_leases<E: Environment>(leases: &Queue<E>) -> Result<Contender<E>, LockError> {
    leases.join_as("lease-", CreateMode::EphemeralSequential).await
}

/// Creates a lease and waits until it is one of the permitted ones.
async fn lease<E: Environment>(
    leases: &Queue<E>,
    permits: usize,
    create: impl AsyncFn(&Queue<E>) -> Result<Contender<E>, LockError>,
) -> Result<Contender<E>, LockError> {
    let (env, parent) = (leases.env(), leases.parent());
    let zk = env.zookeeper();
    'anew: loop {
        let lease = create(leases).await?;
        loop {
            let key = [lease.name(), lease.session()];
            let (names, mut watch) = match retry(env, "semaphore: count", &key, || zk.watch_children(parent)).await {
                Ok(listed) => listed,
                Err(ZkError::NoNode) => {
                    lease.forget();
                    continue 'anew;
                }
                Err(error) => return Err(error.into()),
            };
            // Every child counts, whoever made it (semantics §5.3).
            let children = names.len();
            if lease.position(&contenders(names)).is_none() {
                lease.forget();
                continue 'anew;
            }
            if children <= permits {
                drop(watch);
                forget_watches(&lease).await?;
                return Ok(lease);
            }
            lease.wait(parent, &mut watch).await?;
        }
    }
}

/// Removes the watch that the last count has left.
async fn forget_watches<E: Environment>(lease: &Contender<E>) -> Result<(), LockError> {
    let (env, parent) = (lease.queue().env(), lease.queue().parent());
    let (zk, key) = (env.zookeeper(), [lease.name(), lease.session()]);
    match retry(env, "semaphore: forget watches", &key, || zk.remove_watches(parent)).await {
        // It has fired in between, or did not outlive the connection.
        Ok(()) | Err(ZkError::NoWatcher) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
