//! The lease is created again without a look.

use crate::lock::guard::{Guard, Target};
use crate::lock::{Acquired, Contender, Lock, LockError, PredecessorLock, Queue};
use crate::names::{join, leaf};
use crate::retry::retry;
use crate::semaphore::{Semaphore, lease};
use crate::{CreateMode, Environment, ZooKeeper};

/// *Wrong:* after a lost connection the sequential create of the lease is sent again at once. If the first one had been
/// applied there is a lease that nobody knows, and it counts: the semaphore has a permit less for ever.
///
/// *Seen:* <https://github.com/Netflix/curator/issues/3>, here with a semaphore.
///
/// *Cure:* put an id into the name, and look for it before creating again.
#[derive(Clone)]
pub struct BlindLease<E: Environment> {
    mutex: PredecessorLock<E>,
    leases: Queue<E>,
    permits: usize,
}

impl<E: Environment> Semaphore<E> for BlindLease<E> {
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
        let guard = Guard::new(env, Target::Path(turn.clone()));
        let lease = env.keeping(&[&turn], lease(&self.leases, self.permits, create)).await?;
        let key = [lease.name(), lease.session()];
        env.keeping(&key, guard.finish("faulty: next")).await?;
        lease.granted()
    }
}

async fn create<E: Environment>(leases: &Queue<E>) -> Result<Contender<E>, LockError> {
    let mut lease = Contender::new(leases, "lease-");
    let (zk, path) = (leases.env().zookeeper(), lease.path());
    let create = || zk.create(&path, b"", CreateMode::EphemeralSequential);
    let made = retry(leases.env(), "faulty: create", &[&path, lease.session()], create).await?;
    lease.adopt(leaf(&made));
    Ok(lease)
}
