//! The barrier and the double barrier, right and spoilt.

use overtake_recipes::barrier::faulty::*;
use overtake_recipes::barrier::{Barrier, NodeBarrier};
use overtake_recipes::double_barrier::faulty::*;
use overtake_recipes::double_barrier::{DoubleBarrier, ReadyBarrier};
use overtake_recipes::events::appears;
use overtake_recipes::lock::LockError;
use overtake_recipes::retry::retry;
use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const BARRIER: &str = "/barrier";
const START: &str = "/start";

/// Closes the barrier, lets the others begin, writes into the barrier's node how far it is, and opens it; if need be in
/// another session.
async fn keeper<B: Barrier<Context>>(ctx: Context) -> Result<(), LockError> {
    let (zk, barrier) = (ctx.zookeeper(), B::new(ctx.clone(), BARRIER));
    let prepare = async || {
        barrier.set().await?;
        let begin = || zk.create(START, b"", CreateMode::Persistent);
        match retry(&ctx, "begin", &[], begin).await {
            Ok(_) | Err(ZkError::NodeExists) => {}
            Err(error) => return Err(error.into()),
        }
        match retry(&ctx, "nearly", &[], || zk.set_data(BARRIER, b"nearly", None)).await {
            // It may be gone with the last session, if it is that kind of barrier.
            Ok(_) | Err(ZkError::NoNode) => Ok(()),
            Err(error) => Err(error.into()),
        }
    };
    loop {
        match prepare().await {
            Ok(()) => break,
            // Nobody else would open.
            Err(LockError::SessionLost) => zk.connect().await?,
            Err(error) => return Err(error),
        }
    }
    ctx.work("work").await;
    ctx.mark("opens");
    loop {
        match barrier.remove().await {
            Err(LockError::SessionLost) => zk.connect().await?,
            over => return over,
        }
    }
}

/// Waits for the start, then at the barrier.
async fn waiter<B: Barrier<Context>>(ctx: Context) -> Result<(), LockError> {
    let waited = async {
        appears(&ctx, "start", START).await?;
        B::new(ctx.clone(), BARRIER).wait().await
    };
    match waited.await {
        Ok(()) => {
            ctx.mark("passed");
            Ok(())
        }
        Err(LockError::SessionLost) => Ok(()),
        Err(error) => Err(error),
    }
}

fn barrier<B: Barrier<Context> + 'static>(name: &str, waiters: usize) -> Scenario {
    scenario(name)
        .about("A keeper closes a barrier, works, and opens it; the others wait at it as long as its node is there.")
        .source("https://zookeeper.apache.org/doc/r3.8.0/recipes.html#sc_recipes_eventHandles")
        .client("keeper", keeper::<B>)
        .clients(waiters, waiter::<B>)
        .properties([nobody_passes_a_closed_barrier(), no_wait_without_wake_up(), no_program_fails()])
        .properties([somebody_is(&["passed"], "somebody passes"), everybody_is_done()])
}

/// Enters and leaves, so many rounds. A member whose session is over gives up.
async fn member<B: DoubleBarrier<Context>>(ctx: Context, size: usize, rounds: usize) -> Result<(), LockError> {
    let barrier = B::new(ctx.clone(), BARRIER, size);
    let work = async {
        for [arrived, entered, leaves, left] in &ROUNDS[..rounds] {
            ctx.mark(arrived);
            let member = ctx.keeping(&[arrived], barrier.enter()).await?;
            ctx.mark(entered);
            ctx.work("work").await;
            ctx.mark(leaves);
            ctx.keeping(&[leaves], barrier.leave(member)).await?;
            ctx.mark(left);
        }
        Ok(())
    };
    match work.await {
        Err(LockError::SessionLost) => {
            ctx.mark("gave up");
            Ok(())
        }
        other => other,
    }
}

fn double<B: DoubleBarrier<Context> + 'static>(name: &str, size: usize, rounds: usize) -> Scenario {
    scenario(name)
        .about("So many members enter a barrier together, work, and leave it together.")
        .source("https://zookeeper.apache.org/doc/r3.8.0/recipes.html#sc_doubleBarriers")
        .node(BARRIER)
        .clients(size, move |ctx| member::<B>(ctx, size, rounds))
        .properties([nobody_enters_before_all(), nobody_leaves_before_all(), whoever_leaves_gets_out()])
        .properties([no_program_fails(), somebody_is(&["left"], "somebody leaves"), everybody_is_done()])
}

/// Where nobody is lost, everybody enters and nothing is left behind.
fn complete<B: DoubleBarrier<Context> + 'static>(name: &str, size: usize, rounds: usize) -> Scenario {
    double::<B>(name, size, rounds).properties([no_wait_without_wake_up(), no_orphan_node(BARRIER), no_orphan_watch()])
}

/// The scenarios.
pub fn scenarios() -> Vec<Scenario> {
    vec![
        barrier::<NodeBarrier<_>>("barrier", 2),
        barrier::<NodeBarrier<_>>("barrier, 1 expiry", 2).expiries(1),
        barrier::<NodeBarrier<_>>("barrier, 1 disconnect", 2).disconnects(1),
        barrier::<AnyEventOpens<_>>("any event opens the barrier", 2)
            .about("The keeper writes into the barrier's node, and those who wait at it take that for its deletion.")
            .breaks("nobody passes a closed barrier")
            .fixed_by("barrier"),
        barrier::<EphemeralBarrier<_>>("ephemeral barrier", 2)
            .about("The barrier's node goes with its keeper's session, and everybody passes.")
            .expiries(1)
            .breaks("nobody passes a closed barrier")
            .fixed_by("barrier, 1 expiry"),
        barrier::<LooksThenWatches<_>>("looks at the barrier, then watches", 2)
            .about("The barrier opens between the look and the watch, which then waits for it to be closed again.")
            .breaks("no wait without a wake-up")
            .fixed_by("barrier"),
        complete::<ReadyBarrier<_>>("double barrier", 3, 1),
        complete::<ReadyBarrier<_>>("double barrier, 2 members", 2, 1),
        complete::<ReadyBarrier<_>>("double barrier, twice", 2, 2),
        complete::<ReadyBarrier<_>>("double barrier, 3 members, twice", 3, 2),
        complete::<ReadyBarrier<_>>("double barrier, 1 disconnect", 2, 1).disconnects(1),
        double::<ReadyBarrier<_>>("double barrier, 1 expiry", 3, 1).expiries(1),
        double::<ReadyBarrier<_>>("double barrier, 1 crash", 3, 1).crashes(1),
        complete::<ReadyCounted<_>>("ready counted as a member", 2, 1)
            .about("Those who leave count the ready node among the members, and wait for it.")
            .breaks("no wait without a wake-up")
            .fixed_by("double barrier, 2 members"),
        complete::<ReadyMadeOnce<_>>("ready made once", 2, 1)
            .about("Two members count everybody at the same time; the second finds the ready node made, and fails.")
            .breaks("no program fails")
            .fixed_by("double barrier, 2 members"),
        complete::<WatchesAfterTheCount<_>>("ready watched after the count", 2, 1)
            .about("The last member comes between another's count and its watch for the ready node.")
            .breaks("no wait without a wake-up")
            .fixed_by("double barrier, 2 members"),
        complete::<ReadyLeftBehind<_>>("ready left behind", 2, 2)
            .about("Nobody deletes the ready node, and in the second round the first member enters alone.")
            .breaks("nobody enters before all arrive")
            .fixed_by("double barrier, twice"),
        complete::<LeavesByAllChildren<_>>("leaves by all children", 2, 2)
            .about("A member that is back for the second round is waited for by one that still leaves the first.")
            .breaks("no wait without a wake-up")
            .fixed_by("double barrier, twice"),
    ]
}
