//! The read-write lock, right and spoilt.

use overtake_recipes::lock::{Acquired, LockError};
use overtake_recipes::read_write::faulty::*;
use overtake_recipes::read_write::{Access, ReadWrite, ReadWriteLock};
use overtake_sim::program::Context;

use super::programs::{LOCK, PATIENCE, section};
use crate::property::*;
use crate::scenario::{Scenario, scenario};

/// A client whose session is over gives up.
fn or_give_up(result: Result<(), LockError>) -> Result<(), LockError> {
    match result {
        Err(LockError::SessionLost) => Ok(()),
        other => other,
    }
}

/// Acquires the lock to read, reads, releases it.
async fn reader<L: ReadWrite<Context>>(ctx: Context) -> Result<(), LockError> {
    let lock = L::new(ctx.clone(), LOCK);
    ctx.mark("wants to read");
    let granted = lock.acquire(Access::Read).await;
    ctx.unmark("wants to read");
    or_give_up(async { read(&ctx, &lock, granted?).await }.await)
}

async fn read<L: ReadWrite<Context>>(ctx: &Context, lock: &L, granted: Acquired) -> Result<(), LockError> {
    ctx.mark_with("reads", &granted.path);
    section(ctx).await;
    ctx.unmark("reads");
    lock.release(granted).await
}

/// Acquires the lock to write, writes, releases it.
async fn writer<L: ReadWrite<Context>>(ctx: Context) -> Result<(), LockError> {
    let lock = L::new(ctx.clone(), LOCK);
    ctx.mark("wants to write");
    let granted = lock.acquire(Access::Write).await;
    ctx.unmark("wants to write");
    let work = async {
        let granted = granted?;
        ctx.mark_with("writes", &granted.path);
        section(&ctx).await;
        ctx.unmark("writes");
        lock.release(granted).await
    };
    or_give_up(work.await)
}

/// Writes, then reads on what it has written, without a gap.
async fn downgrader<L: ReadWrite<Context>>(ctx: Context) -> Result<(), LockError> {
    let lock = L::new(ctx.clone(), LOCK);
    let work = async {
        let write = lock.acquire(Access::Write).await?;
        ctx.mark_with("writes", &write.path);
        ctx.work("write").await;
        let read_on = lock.downgrade(&write).await?;
        ctx.unmark("writes");
        ctx.mark_with("reads", &read_on.path);
        ctx.keeping(&[&read_on.path], lock.release(write)).await?;
        read(&ctx, &lock, read_on).await
    };
    or_give_up(work.await)
}

/// Reads, and asks to write meanwhile: for a time, or for ever.
async fn upgrader<const FOR_EVER: bool>(ctx: Context) -> Result<(), LockError> {
    let lock = ReadWriteLock::new(ctx.clone(), LOCK);
    let work = async {
        let granted = lock.acquire(Access::Read).await?;
        ctx.mark_with("reads", &granted.path);
        let ask = async {
            match FOR_EVER {
                true => lock.acquire(Access::Write).await.map(Some),
                false => lock.acquire_timeout(Access::Write, PATIENCE).await,
            }
        };
        match ctx.keeping(&[&granted.path], ask).await? {
            Some(write) => ctx.mark_with("writes", &write.path),
            None => ctx.mark("refused"),
        }
        ctx.unmark("reads");
        lock.release(granted).await
    };
    or_give_up(work.await)
}

/// What every read-write lock must keep.
fn properties() -> Vec<Property> {
    vec![
        readers_and_writers_apart(),
        shared_grants_in_order(),
        readers_wait_for_writers_only(),
        no_wait_without_wake_up(),
        no_orphan_node(LOCK),
        no_orphan_watch(),
        no_program_fails(),
        somebody_is(&["reads"], "somebody reads"),
        everybody_is_done(),
    ]
}

fn two_read_together() -> Property {
    let two = |view: &overtake_sim::world::View<'_>| view.clients().filter(|c| c.is_marked("reads")).count() >= 2;
    Property::sometimes("two read together", two).where_marked(&["reads"], 2)
}

fn somebody_writes() -> Property {
    somebody_is(&["writes"], "somebody writes")
}

const OFFICIAL: &str = "https://zookeeper.apache.org/doc/r3.8.0/recipes.html#Shared+Locks";

/// So many readers and writers, each once.
fn shared<L: ReadWrite<Context> + 'static>(name: &str, readers: usize, writers: usize) -> Scenario {
    scenario(name)
        .source(OFFICIAL)
        .node(LOCK)
        .clients(readers, reader::<L>)
        .clients(writers, writer::<L>)
        .properties(properties())
        .properties([two_read_together(), somebody_writes()])
        .about(
            "Each reader waits for the nearest writer before it, each writer for the nearest node of any kind; whoever \
             has none reads or writes, and deletes its node.",
        )
}

fn right() -> Vec<Scenario> {
    let lock =
        |what: &str, readers, writers| shared::<ReadWriteLock<_>>(&format!("read-write lock{what}"), readers, writers);
    vec![
        lock("", 2, 1),
        // Z156: two readers together, the writer after both, the third reader after the writer.
        lock(", 3 readers and a writer", 3, 1).property(Property::sometimes(
            "a reader waits behind a writer that waits for two readers",
            |view| {
                let count = |mark| view.clients().filter(|c| c.is_marked(mark)).count();
                let behind = |c: &overtake_sim::world::ClientView<'_>| {
                    c.is_marked("wants to read") && !c.watched_paths().is_empty()
                };
                count("reads") == 2 && count("wants to write") == 1 && view.clients().any(|c| behind(&c))
            },
        )),
        lock(", 2 readers and 2 writers", 2, 2).property(wake_ups_per_release_at_most(2)),
        lock(", 1 expiry", 2, 1).expiries(1),
        lock(", 2 writers, 1 expiry", 2, 2).expiries(1),
        lock(", 1 disconnect", 2, 1).disconnects(1),
        lock(", 1 crash", 2, 1).crashes(1),
        scenario("read-write lock, downgrade")
            .about("A writer goes on as a reader with its own place in the queue, while another writer waits.")
            .source("Curator TestInterProcessReadWriteLock: testContendingDowngrading; Z157")
            .node(LOCK)
            .client("downgrader", downgrader::<ReadWriteLock<_>>)
            .client("writer", writer::<ReadWriteLock<_>>)
            .disconnects(1)
            .properties(properties())
            .property(somebody_writes()),
        scenario("read-write lock, upgrade")
            .about("A reader asks to write, which it could only after it had stopped reading, and gives up in time.")
            .source("Curator TestInterProcessReadWriteLock: testThatUpgradingIsDisallowed; Z158")
            .node(LOCK)
            .client("upgrader", upgrader::<false>)
            .client("reader", reader::<ReadWriteLock<_>>)
            .properties(properties())
            .property(nobody_writes())
            .property(somebody_is(&["refused"], "the upgrade is refused")),
        lock(", container swept", 2, 1)
            .without_nodes()
            .container(LOCK)
            .sweeps(1)
            .about(
                "The lock's parent is a container, and the server sweeps it whenever it is empty: also between the look \
                 for the parent and the create. The create answers NoNode, and the parent is made again.",
            )
            .source("semantics §1.2; Z160"),
    ]
}

/// Nobody gets to write beside its own read lock. Source: Z158.
fn nobody_writes() -> Property {
    Property::always("an upgrade is never granted", "Z158", |view| {
        match view.clients().find(|c| c.is_marked("writes")) {
            Some(c) => Err(format!("{} writes while it reads", c.name())),
            None => Ok(()),
        }
    })
    .where_marked(&["writes"], 1)
}

fn spoilt() -> Vec<Scenario> {
    vec![
        shared::<ReaderWatchesNeighbour<_>>("reader watches its neighbour", 2, 1)
            .about("A reader behind a reader behind a writer waits for the reader, not for the writer.")
            .breaks("readers wait for writers only")
            .fixed_by("read-write lock"),
        shared::<ReaderWatchesFirstWriter<_>>("reader watches the first writer", 2, 2)
            .property(wake_ups_per_release_at_most(2))
            .about("Each writer's release wakes the next writer and all readers, who then wait for that one.")
            .source("Curator InterProcessReadWriteLock, against the official text")
            .breaks("wake-ups per release")
            .fixed_by("read-write lock, 2 readers and 2 writers"),
        shared::<ReaderFollowsReader<_>>("reader follows a reader", 2, 1)
            .about("A reader takes the reader before it for a holder; that one waits for a writer.")
            .breaks("readers and writers apart")
            .fixed_by("read-write lock"),
        shared::<WriterMindsWritersOnly<_>>("writer minds writers only", 2, 1)
            .about("A writer looks for writers before it and does not see the readers.")
            .breaks("readers and writers apart")
            .fixed_by("read-write lock"),
        shared::<ReaderWakesAsOwner<_>>("reader wakes as owner", 2, 2)
            .about("The writer that a reader waits for was itself waiting, and goes with its session.")
            .expiries(1)
            .breaks("shared grants in order")
            .fixed_by("read-write lock, 2 writers, 1 expiry"),
        scenario("downgrade at the end of the queue")
            .about("The read node of a downgrade stands behind a writer that waits, and that writer writes.")
            .source("Curator TestInterProcessReadWriteLock: testContendingDowngrading; Z157")
            .node(LOCK)
            .client("downgrader", downgrader::<DowngradeAtTheEnd<_>>)
            .client("writer", writer::<DowngradeAtTheEnd<_>>)
            .disconnects(1)
            .properties(properties())
            .property(somebody_writes())
            .breaks("readers and writers apart")
            .fixed_by("read-write lock, downgrade"),
        scenario("upgrade without a time-out")
            .about("A reader waits to write until nobody reads, itself included.")
            .source("Curator TestInterProcessReadWriteLock: testThatUpgradingIsDisallowed; Z158")
            .node(LOCK)
            .client("upgrader", upgrader::<true>)
            .client("reader", reader::<ReadWriteLock<_>>)
            .properties(properties())
            .property(nobody_writes())
            .breaks("no wait without a wake-up")
            .fixed_by("read-write lock, upgrade"),
    ]
}

/// The scenarios.
pub fn scenarios() -> Vec<Scenario> {
    let mut all = right();
    all.extend(spoilt());
    all
}
