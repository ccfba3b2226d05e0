//! A waiter watches one lease, by its place in the list.

use crate::Environment;
use crate::lock::{Acquired, LockError, Queue};
use crate::names::join;
use crate::semaphore::{Semaphore, join_leases};

/// *Wrong:* the lock's rule made general: with `n` permits the first `n` nodes hold, and everybody else watches the node
/// `n` places before its own. With one permit that is the lock. With more, leases are given back in any order: when
/// another than the watched one goes there is room, and nobody says so.
///
/// *Seen:* `LockInternals` of Curator counts so (`children[index - maxLeases]`), which its first semaphore used
/// before `InterProcessSemaphoreV2` replaced it.
///
/// *Cure:* watch the list of leases.
#[derive(Clone)]
pub struct WaitsByIndex<E: Environment> {
    leases: Queue<E>,
    permits: usize,
}

impl<E: Environment> Semaphore<E> for WaitsByIndex<E> {
    fn new(env: E, path: &str, permits: usize) -> Self {
        Self { leases: Queue::new(env, &join(path, "leases")), permits }
    }

    fn leases(&self) -> &Queue<E> {
        &self.leases
    }

    async fn acquire(&self) -> Result<Acquired, LockError> {
        'anew: loop {
            let lease = join_leases(&self.leases).await?;
            loop {
                let names = lease.list("faulty: list").await?;
                let Some(at) = lease.position(&names) else {
                    lease.forget();
                    continue 'anew;
                };
                if at < self.permits {
                    return lease.granted();
                }
                let awaited = &names[at - self.permits];
                if let Some(mut watch) = lease.watch(awaited).await? {
                    lease.wait(awaited, &mut watch).await?;
                }
            }
        }
    }
}
