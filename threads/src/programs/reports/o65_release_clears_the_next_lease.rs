//! O65, CURATOR-376: a release clears the lease of the next holder.
//!
//! *Mechanism:* two threads share a mutex that keeps its lease in a field. Closing the lease lets the other thread acquire
//! and store its own there; then the first empties the field. The second holds and cannot release. *Source:*
//! <https://github.com/apache/curator/issues/896>. *Violated:* who holds can release. *Repair:* take the lease out of the
//! field before closing it.

use std::sync::Arc;

use super::{Pair, Report};
use crate::client::Service;
use crate::error::Error;
use crate::programs::common::*;
use crate::semaphore::{InterProcessSemaphoreV2, Lease};
use crate::simulated::Simulated;
use crate::sync::{Shuttle, Threads};

struct Shared<V: Service> {
    semaphore: InterProcessSemaphoreV2<Shuttle, V>,
    lease: Mutex<Option<Arc<Lease<Shuttle, V>>>>,
    repaired: bool,
}

impl<V: Service> Shared<V> {
    fn acquire(&self) {
        let lease = self.semaphore.acquire().expect("a lease");
        *Shuttle::lock(&self.lease) = Some(Arc::new(lease));
    }

    fn release(&self) -> Result<(), Error> {
        let lease = match self.repaired {
            true => Shuttle::lock(&self.lease).take(),
            false => Shuttle::lock(&self.lease).clone(),
        };
        lease.ok_or(Error::NotAcquired)?.close()?;
        if !self.repaired {
            *Shuttle::lock(&self.lease) = None;
        }
        Ok(())
    }
}

pub(super) fn pair() -> Pair {
    Report {
        name: "O65 release clears the next lease",
        source: "https://github.com/apache/curator/issues/896",
        about: "Two threads share a mutex object; one releases while the other waits.",
        violates: "who holds can release",
        class: "ownership violation",
    }
    .pair(|stage, repaired| {
        let (_, clients) = clients(stage, 1);
        let shared = Arc::new(Shared::<Simulated> {
            semaphore: InterProcessSemaphoreV2::new(&clients[0], LOCK, 1),
            lease: Shuttle::mutex("lease field", None),
            repaired,
        });
        shared.acquire();
        let (first, second, own) = (shared.clone(), shared, *stage);
        stage.thread("thread 1", move || first.release().expect("it holds"));
        stage.thread("thread 2", move || {
            second.acquire();
            let released = second.release();
            own.holds(released.is_ok(), "who holds can release", || {
                format!("the second thread holds, and its release says: {}", released.unwrap_err())
            });
        });
        stage.rest();
    })
}
