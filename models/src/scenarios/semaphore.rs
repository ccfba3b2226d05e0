//! The semaphore, right and spoilt.

use overtake_recipes::lock::LockError;
use overtake_recipes::semaphore::faulty::*;
use overtake_recipes::semaphore::{LeaseSemaphore, Semaphore};
use overtake_sim::program::Context;

use super::programs::section;
use crate::property::*;
use crate::scenario::{Scenario, scenario};

const LOCKS: &str = "/semaphore/locks";
const LEASES: &str = "/semaphore/leases";

/// Acquires a lease, works, gives it back. A client whose session is over gives up.
async fn once<S: Semaphore<Context>>(ctx: Context, permits: usize) -> Result<(), LockError> {
    let semaphore = S::new(ctx.clone(), "/semaphore", permits);
    ctx.mark("wants");
    let lease = semaphore.acquire().await;
    ctx.unmark("wants");
    let work = async {
        let lease = lease?;
        ctx.mark_with("holds", &lease.path);
        section(&ctx).await;
        ctx.unmark("holds");
        semaphore.release(lease).await
    };
    match work.await {
        Err(LockError::SessionLost) => Ok(()),
        other => other,
    }
}

/// As [`once`], but the call may be interrupted at any of its awaits.
async fn interruptible<S: Semaphore<Context>>(ctx: Context, permits: usize) -> Result<(), LockError> {
    let semaphore = S::new(ctx.clone(), "/semaphore", permits);
    ctx.mark("wants");
    let lease = ctx.cancellable(semaphore.acquire()).await;
    ctx.unmark("wants");
    let work = async {
        let Some(lease) = lease else {
            ctx.mark("gave up");
            return Ok(());
        };
        let lease = lease?;
        ctx.mark_with("holds", &lease.path);
        section(&ctx).await;
        ctx.unmark("holds");
        semaphore.release(lease).await
    };
    match work.await {
        Err(LockError::SessionLost) => Ok(()),
        other => other,
    }
}

/// Acquires a lease and keeps it.
async fn keeper<S: Semaphore<Context>>(ctx: Context, permits: usize) -> Result<(), LockError> {
    let semaphore = S::new(ctx.clone(), "/semaphore", permits);
    let lease = semaphore.acquire().await?;
    ctx.mark_with("holds", &lease.path);
    std::future::pending().await
}

fn base(name: &str, permits: usize) -> Scenario {
    scenario(name)
        .source("Curator InterProcessSemaphoreV2")
        .node("/semaphore")
        .node(LOCKS)
        .node(LEASES)
        .properties([no_more_live_leases_than(permits), no_waiter_beside_a_free_permit(permits), no_program_fails()])
        .property(Property::sometimes("all permits are held", move |view| {
            view.clients().filter(|c| c.is_marked("holds")).count() == permits
        }))
        .about(
            "One client at a time, the holder of a lock, makes a lease node and waits until there are no more lease nodes \
             than permits.",
        )
}

fn users<S: Semaphore<Context> + 'static>(name: &str, clients: usize, permits: usize) -> Scenario {
    base(name, permits)
        .clients(clients, move |ctx| once::<S>(ctx, permits))
        .properties([no_wait_without_wake_up(), no_orphan_node(LOCKS), no_orphan_node(LEASES), no_orphan_watch()])
        .properties([somebody_waits(), everybody_is_done()])
}

/// One keeps its lease for ever, the others give theirs back.
fn with_a_keeper<S: Semaphore<Context> + 'static>(name: &str) -> Scenario {
    base(name, 2)
        .client("keeper", |ctx| keeper::<S>(ctx, 2))
        .clients(2, |ctx| once::<S>(ctx, 2))
        .property(somebody_waits())
}

/// The scenarios.
pub fn scenarios() -> Vec<Scenario> {
    vec![
        users::<LeaseSemaphore<_>>("semaphore", 3, 2),
        users::<LeaseSemaphore<_>>("semaphore, 1 expiry", 3, 2).expiries(1).source("Z159"),
        users::<LeaseSemaphore<_>>("semaphore, 1 permit, 1 disconnect", 2, 1).disconnects(1),
        users::<LeaseSemaphore<_>>("semaphore, 1 crash", 3, 2).crashes(1),
        base("semaphore, 1 interrupt", 1)
            .about("An interrupt while the client waits for the lock, makes its lease, or waits: nothing stays behind.")
            .clients(2, |ctx| interruptible::<LeaseSemaphore<_>>(ctx, 1))
            .interrupts(1)
            .properties([no_wait_without_wake_up(), no_orphan_node(LOCKS), no_orphan_node(LEASES)])
            .properties([failed_calls_leave_nothing(LOCKS), failed_calls_leave_nothing(LEASES)])
            .properties([failed_calls_are_never_granted(), somebody_is(&["gave up"], "somebody gives up")])
            .properties([somebody_waits(), everybody_is_done()]),
        with_a_keeper::<LeaseSemaphore<_>>("semaphore with a keeper"),
        users::<CountsBeforeCreating<_>>("leases counted before creating", 3, 2)
            .about("Two clients count the leases, both find room for one more, and both create.")
            .breaks("no more live leases than permits")
            .fixed_by("semaphore"),
        users::<BlindLease<_>>("lease created again blindly", 2, 1)
            .about("After a lost reply the lease is made again; the first one is nobody's, and counts.")
            .source("https://github.com/Netflix/curator/issues/3")
            .disconnects(1)
            .breaks("no waiter beside a free permit")
            .fixed_by("semaphore, 1 permit, 1 disconnect"),
        with_a_keeper::<WaitsByIndex<_>>("waits for a lease by its index")
            .about(
                "With two permits a third client watches the first lease. The second is given back, and it waits on.",
            )
            .breaks("no waiter beside a free permit")
            .fixed_by("semaphore with a keeper"),
    ]
}
