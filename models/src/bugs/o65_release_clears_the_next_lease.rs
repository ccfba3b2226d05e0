//! O65, CURATOR-376: a release clears the lease of the next holder.
//!
//! *Mechanism:* two threads share a mutex object, which keeps the lease in a field. One releases: closing the lease
//! lets the other acquire, which stores its lease in the field. Then the first goes on and empties the field: the
//! second holds and cannot release. *Smallest configuration:* 1 client, 2 threads, a shared object. *Source:*
//! <https://github.com/apache/curator/issues/896>. *Violated:* fields that describe the holder are written by the
//! holder only, so that what is acquired is released. *Repair:* take the lease out of the field before closing it.
//!
//! The threads are tasks of one client. What is a slow thread in the report is a reply that is lost here: the delete
//! is sent again while the other task is served already.

use std::cell::RefCell;
use std::rc::Rc;

use overtake_recipes::{Acquired, Lock, LockError, PredecessorLock};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};
use crate::scenarios::programs::LOCK;

/// The mutex object.
struct Shared {
    lock: PredecessorLock<Context>,
    lease: RefCell<Option<Acquired>>,
    takes_first: bool,
}

impl Shared {
    async fn acquire(&self) -> Result<(), LockError> {
        let lease = self.lock.acquire().await?;
        *self.lease.borrow_mut() = Some(lease);
        Ok(())
    }

    /// `false`: there is nothing to release.
    async fn release(&self) -> Result<bool, LockError> {
        let lease = match self.takes_first {
            true => self.lease.take(),
            false => self.lease.borrow().clone(),
        };
        let Some(lease) = lease else { return Ok(false) };
        self.lock.release(lease).await?;
        if !self.takes_first {
            *self.lease.borrow_mut() = None;
        }
        Ok(true)
    }
}

async fn thread(ctx: Context, shared: Rc<Shared>) -> Result<(), LockError> {
    shared.acquire().await?;
    ctx.mark("holds");
    ctx.work("work").await;
    ctx.unmark("holds");
    if !shared.release().await? {
        ctx.mark("cannot release");
    }
    Ok(())
}

async fn two_threads(ctx: Context, takes_first: bool) -> Result<(), LockError> {
    let lock = PredecessorLock::new(ctx.clone(), LOCK);
    let shared = Rc::new(Shared { lock, lease: RefCell::default(), takes_first });
    let first = ctx.spawn_task(thread(ctx.clone(), shared.clone()));
    let second = ctx.spawn_task(thread(ctx.clone(), shared));
    first.await?;
    second.await
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about(
                "Two threads share a mutex object. While one is still releasing, the other acquires and stores its lease \
                 where the first then writes that there is none.",
            )
            .source("https://github.com/apache/curator/issues/896")
            .node(LOCK)
            .disconnects(1)
            .properties([no_orphan_node(LOCK), no_program_fails(), somebody_holds(), everybody_is_done()])
    };
    vec![
        world("O65 release clears the next lease")
            .clients(1, |ctx| two_threads(ctx, false))
            .breaks("no orphan node")
            .fixed_by("O65 release clears the next lease, repaired"),
        world("O65 release clears the next lease, repaired").clients(1, |ctx| two_threads(ctx, true)),
    ]
}
