//! The spoilt locks: each differs from the recipe in one thing, and each is caught.

use std::time::Duration;

use overtake_recipes::lock::faulty::*;
use overtake_recipes::lock::{Lock, LockError, connection};
use overtake_recipes::{Environment, ParentLock, PredecessorLock, ZooKeeper};
use overtake_sim::program::Context;

use super::locks::{failing_call_properties, lock_properties};
use super::programs::{LOCK, interruptible, once, timed, try_once};
use crate::property::*;
use crate::scenario::{Scenario, scenario};

/// A spoilt lock with so many clients, in the scenario of the recipe that it spoils.
fn spoilt<L: Lock<Context> + 'static>(name: &str, clients: usize) -> Scenario {
    scenario(name).node(LOCK).clients(clients, once::<L>).properties(lock_properties())
}

/// The seed's native code taken literally, slip by slip.
fn seed() -> Vec<Scenario> {
    let slip = |number: &str| format!("seed 1, section 1.2.2; slip {number}");
    vec![
        spoilt::<SeedAsyncCreate<_>>("seed: async create", 2)
            .about("lock() sends the create and returns: the section starts before the lock is held.")
            .source(slip("1"))
            .breaks("grant rests on a live node of the own session")
            .fixed_by("predecessor lock"),
        spoilt::<SeedNativeCode<_>>("seed: native code as it stands", 2)
            .about("The native code with all its slips: nobody is excluded and nothing is released.")
            .source(slip("1 to 5, 8, 12"))
            .breaks("grant rests on a live node of the own session")
            .fixed_by("predecessor lock"),
        spoilt::<SeedPathThrownAway<_>>("seed: result path thrown away", 2)
            .about("unlock deletes the path that was asked for, not the node that was made.")
            .source(slip("4"))
            .breaks("no wait without a wake-up")
            .fixed_by("predecessor lock"),
        spoilt::<SeedParentMissing<_>>("seed: parent missing", 2)
            .without_nodes()
            .about("The parent does not exist, create answers NoNode, nobody notices, and the section runs.")
            .source(slip("3"))
            .breaks("grant rests on a live node of the own session")
            .fixed_by("predecessor lock, parent missing"),
        spoilt::<SeedWaitInsideCallback<_>>("seed: waiting inside the callback", 2)
            .about("The callback waits for the predecessor's event, which only the thread it blocks can deliver.")
            .source(slip("14"))
            .breaks("no wait without a wake-up")
            .fixed_by("predecessor lock"),
        scenario("seed: separator missing")
            .about("Orders 1 and 2 are siblings with one counter, so order 2 waits for order 1.")
            .source(slip("5"))
            .node(LOCK)
            .client("order 1", |ctx| for_order(ctx, "1"))
            .client("order 2", |ctx| for_order(ctx, "2"))
            .properties(lock_properties_of_orders())
            .breaks("orders are independent")
            .fixed_by("a parent for each order"),
        scenario("a parent for each order")
            .about("Orders 1 and 2 lock under parents of their own.")
            .source(slip("5"))
            .node("/lock")
            .node("/lock/1")
            .node("/lock/2")
            .client("order 1", |ctx| under_parent_of_order(ctx, "1"))
            .client("order 2", |ctx| under_parent_of_order(ctx, "2"))
            .properties(lock_properties_of_orders()),
        scenario("seed: unlock when not held")
            .about("The finally block unlocks although the wait timed out, and deletes the holder's node.")
            .source(slip("8"))
            .node(LOCK)
            .clients(3, unlock_in_finally)
            .properties(lock_properties())
            .breaks("grant rests on a live node of the own session")
            .fixed_by("predecessor lock, time-out"),
        scenario("seed: latch on any event")
            .about("The latch of connect() counts down on any event, also on Disconnected.")
            .source(slip("6"))
            .clients(
                1,
                |ctx: Context| async move { connected(&ctx, seed_latch_on_any_event::connect(&ctx).await).await },
            )
            .unconnected()
            .disconnects(1)
            .properties(connection_properties())
            .breaks("no program fails")
            .fixed_by("latch on connected"),
        scenario("latch on connected")
            .about("connect() waits until it is connected, through any number of losses.")
            .source(slip("6"))
            .clients(1, |ctx: Context| async move { connected(&ctx, connection::connect(&ctx).await).await })
            .unconnected()
            .disconnects(1)
            .properties(connection_properties()),
        spoilt::<PredecessorLock<_>>("predecessor lock, parent missing", 2)
            .without_nodes()
            .about("The parent does not exist at first; the recipe makes it.")
            .source(slip("3")),
    ]
}

fn waiting_properties() -> Vec<Property> {
    vec![no_wait_without_wake_up(), somebody_holds(), somebody_waits(), everybody_is_done()]
}

fn lock_properties_of_orders() -> Vec<Property> {
    vec![orders_are_independent(), no_wait_without_wake_up(), no_program_fails(), somebody_holds(), everybody_is_done()]
}

fn connection_properties() -> Vec<Property> {
    vec![no_wait_without_wake_up(), no_program_fails(), everybody_is_done()]
}

async fn for_order(ctx: Context, order: &'static str) -> Result<(), LockError> {
    let lock = SeedSeparatorMissing::for_order(ctx.clone(), LOCK, order);
    work_on(ctx, order, lock).await
}

async fn under_parent_of_order(ctx: Context, order: &'static str) -> Result<(), LockError> {
    let lock = PredecessorLock::new(ctx.clone(), &format!("{LOCK}/{order}"));
    work_on(ctx, order, lock).await
}

async fn work_on<L: Lock<Context>>(ctx: Context, order: &'static str, lock: L) -> Result<(), LockError> {
    ctx.mark_with("order", order);
    let granted = lock.acquire().await?;
    ctx.mark_with("holds", &granted.path);
    ctx.work("work").await;
    ctx.unmark("holds");
    lock.release(granted).await
}

async fn unlock_in_finally(ctx: Context) -> Result<(), LockError> {
    let lock = SeedUnlockWhenNotHeld::new(ctx.clone(), LOCK);
    let section = |granted: overtake_recipes::lock::Acquired| {
        let ctx = ctx.clone();
        async move {
            ctx.mark_with("holds", &granted.path);
            ctx.work("work").await;
            ctx.unmark("holds");
        }
    };
    lock.with_lock(Duration::from_secs(10), section).await.map(drop)
}

/// Uses the connection that `connect` said was there.
async fn connected(ctx: &Context, connected: Result<(), LockError>) -> Result<(), LockError> {
    if connected.is_err() {
        return Ok(());
    }
    match ctx.zookeeper().exists("/").await {
        Err(overtake_recipes::ZkError::SessionExpired) => Err(LockError::SessionLost),
        _ => Ok(()),
    }
}

/// The recipe spoilt in one thing each.
pub fn spoilt_recipes() -> Vec<Scenario> {
    vec![
        spoilt::<WakeUpTakenForMyTurn<_>>("wake-up taken for my turn", 3)
            .about("The event on the predecessor is taken for the grant, although an earlier node may still be there.")
            .source("https://github.com/Netflix/curator/issues/115")
            .expiries(1)
            .breaks("grants in order of creation")
            .fixed_by("predecessor lock, 1 expiry"),
        spoilt::<PredecessorGoneIgnored<_>>("predecessor gone between list and watch", 2)
            .about("exists answers that the predecessor is gone, and the recipe waits for its event all the same.")
            .source("https://github.com/shayhatsor/zookeeper/issues/26")
            .breaks("no wait without a wake-up")
            .fixed_by("predecessor lock"),
        spoilt::<ExistsLeavesWatches<_>>("exists leaves watches", 2)
            .about("A predecessor that is gone leaves a watch for its creation, which never comes.")
            .source("https://github.com/python-zk/kazoo/commit/9b0a793")
            .breaks("no orphan watch")
            .fixed_by("predecessor lock"),
        spoilt::<WaitsForDataChange<_>>("waits for a change of data", 2)
            .about("The waiter waits for DataChanged of its predecessor; what comes is Deleted.")
            .source("seed 1, section 1.2.2; slip 13")
            .breaks("no wait without a wake-up")
            .fixed_by("predecessor lock"),
        spoilt::<WatchesLowest<_>>("watches the lowest node", 4)
            .about("Every waiter watches the holder's node, so a release wakes them all.")
            .source("https://github.com/python-zk/kazoo/commit/7dd4c4c")
            .property(wake_ups_per_release_at_most(1))
            .breaks("wake-ups per release")
            .fixed_by("predecessor lock, 4 clients"),
        spoilt::<ParentLock<_>>("watches the parent", 4)
            .about("Every waiter watches the parent's list, so a release wakes them all: the herd.")
            .source("seed 1, section 2.3")
            .property(wake_ups_per_release_at_most(1))
            .breaks("wake-ups per release")
            .fixed_by("predecessor lock, 4 clients"),
        spoilt::<WholeNamesCompared<_>>("whole names compared", 2)
            .about("The order is that of the whole names, ids included, so a newcomer can come first.")
            .source("https://github.com/apache/zookeeper/pull/413")
            .literal_owners()
            .breaks("grants in order of creation")
            .fixed_by("predecessor lock"),
        spoilt::<NoResortUnsortedChildren<_>>("children not sorted", 2)
            .about("The first name of the list is taken for the lowest; the server lists in no order.")
            .source("seed 1, section 2.3; slip 21")
            .breaks("grants in order of creation")
            .fixed_by("predecessor lock"),
        spoilt::<HotSpinFromZero<_>>("hot spin from zero", 2)
            .about("The search for the nearest lower number starts at 0, so a holder with number 0 is not found.")
            .source("https://github.com/samuel/go-zookeeper/pull/145")
            .literal_numbers()
            .count_requests()
            .property(requests_while_blocked_at_most(6))
            .breaks("requests while blocked")
            .fixed_by("predecessor lock, requests counted"),
        spoilt::<PredecessorLock<_>>("predecessor lock, requests counted", 2)
            .about("A waiter asks a bounded number of times between two events.")
            .source("https://github.com/samuel/go-zookeeper/pull/145")
            .literal_numbers()
            .count_requests()
            .property(requests_while_blocked_at_most(6)),
        spoilt::<BlindCreateRetry<_>>("blind retry of create", 2)
            .about("After a lost reply the create is sent again; the first node is a ghost that blocks the lock.")
            .source("https://github.com/Netflix/curator/issues/3")
            .disconnects(1)
            .breaks("no wait without a wake-up")
            .fixed_by("predecessor lock, 1 disconnect"),
        scenario("persistent node")
            .node(LOCK)
            .clients(2, once::<PersistentNode<_>>)
            .properties(waiting_properties())
            .about("The lock node is persistent, so the death of its holder never frees the lock.")
            .source("https://issues.apache.org/jira/browse/HBASE-16144")
            .crashes(1)
            .breaks("no wait without a wake-up")
            .fixed_by("predecessor lock, 1 crash"),
        scenario("release forgets on loss")
            .node(LOCK)
            .clients(2, |ctx: Context| async move {
                let _ = once::<ReleaseForgetsOnLoss<_>>(ctx).await;
            })
            .properties(waiting_properties())
            .about("The release is not repeated after a lost connection: the node stays, unknown to its maker.")
            .source("https://github.com/apache/curator/issues/1193")
            .disconnects(1)
            .breaks("no wait without a wake-up")
            .fixed_by("predecessor lock, 1 disconnect"),
        spoilt::<ReleaseWithoutRetry<_>>("release without retry", 2)
            .about("Whatever the delete answers, the release is taken for done.")
            .source("seed 1, section 1.2.2; slip 22")
            .disconnects(1)
            .breaks("no wait without a wake-up")
            .fixed_by("predecessor lock, 1 disconnect"),
        failing(
            "node left after a time-out",
            "The waiter that timed out leaves its node in the queue.",
            "https://github.com/zk-ruby/zk/issues/49",
            |s| s.clients(2, timed::<NodeLeftAfterTimeout<_>>),
        )
        .breaks("failed calls leave nothing")
        .fixed_by("predecessor lock, time-out"),
        failing(
            "node left after a cancellation",
            "An interrupt between the create and its reply leaves the node in the queue.",
            "https://github.com/apache/curator/issues/600",
            |s| s.clients(2, interruptible::<NodeLeftAfterCancellation<_>>).interrupts(1),
        )
        .breaks("failed calls leave nothing")
        .fixed_by("predecessor lock, 1 interrupt"),
        failing(
            "try leaves its node",
            "A try that failed deletes its node once, and a lost connection leaves it.",
            "https://github.com/python-zk/kazoo/issues/732",
            |s| s.clients(2, try_once::<TryLeavesNode<_>>).disconnects(1),
        )
        .breaks("failed calls leave nothing")
        .fixed_by("predecessor lock, try, 1 disconnect"),
    ]
}

fn failing(name: &str, about: &str, source: &str, clients: impl Fn(Scenario) -> Scenario) -> Scenario {
    clients(scenario(name).about(about).source(source).node(LOCK))
        .properties(lock_properties())
        .properties(failing_call_properties())
}

/// The scenarios.
pub fn scenarios() -> Vec<Scenario> {
    let mut all = seed();
    all.extend(spoilt_recipes());
    all
}
