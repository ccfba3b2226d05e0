//! What becomes of a write whose holder was paused for longer than its session lived.

use futures_util::future::{Either, select};
use overtake_recipes::fencing::{self, faulty};
use overtake_recipes::retry::{PAUSE, is_loss};
use overtake_recipes::{Acquired, CreateMode, Environment, Lock, LockError, PredecessorLock, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::programs::{LOCK, session_lost};
use crate::property::*;
use crate::scenario::{Scenario, scenario};

/// The node whose version is the holders' own counter.
const COUNTER: &str = "/counter";
/// The node under which entries are written.
const LOG: &str = "/log";
const SOURCE: &str = "https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html";

/// How a holder writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    NoToken,
    AfterALook,
    WhileNotTold,
    Suffix,
    Czxid,
    Counter,
}

/// Acquires the lock, writes to the resource, releases the lock. A paused holder is one whose next steps do not come
/// while others' do.
async fn writer(ctx: Context, way: Way) -> Result<(), LockError> {
    let lock = PredecessorLock::new(ctx.clone(), LOCK);
    let held = match lock.acquire().await {
        Ok(held) => held,
        Err(LockError::SessionLost) => return Ok(()),
        Err(error) => return Err(error),
    };
    ctx.mark_with("holds", &held.path);
    let resource = ctx.resource();
    let written = match way {
        Way::NoToken => Ok(faulty::write_without_token(&resource, &held).await),
        Way::AfterALook => faulty::write_after_a_look(&ctx, &resource, &held).await,
        Way::WhileNotTold => {
            // Works first, and writes unless it has been told that the session is over.
            let told = std::pin::pin!(session_lost(&ctx));
            match select(std::pin::pin!(ctx.work("work")), told).await {
                Either::Left(_) => Ok(faulty::write_without_token(&resource, &held).await),
                Either::Right(_) => Err(LockError::SessionLost),
            }
        }
        Way::Suffix => Ok(faulty::write_with_suffix(&resource, &held).await),
        Way::Czxid => fencing::write_with_czxid(&ctx, &resource, &held).await,
        Way::Counter => fencing::write_with_counter(&ctx, &resource, &held, COUNTER).await,
    };
    match written {
        Ok(Ok(())) => ctx.mark("wrote"),
        Ok(Err(_)) => ctx.mark("refused"),
        Err(LockError::SessionLost) => {}
        Err(error) => return Err(error),
    }
    ctx.unmark("holds");
    match lock.release(held).await {
        Ok(()) | Err(LockError::SessionLost) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Acquires the lock and writes an entry into a log in ZooKeeper, in a new session if the old one is over.
async fn logger(ctx: Context, guarded: bool) -> Result<(), LockError> {
    let lock = PredecessorLock::new(ctx.clone(), LOCK);
    let held = match lock.acquire().await {
        Ok(held) => held,
        Err(LockError::SessionLost) => return Ok(()),
        Err(error) => return Err(error),
    };
    let written = loop {
        ctx.checkpoint("log: enter", &[&held.path]);
        match enter(&ctx, &held, guarded).await {
            Err(error) if is_loss(error) => ctx.sleep(PAUSE).await,
            Err(ZkError::SessionExpired) => ctx.zookeeper().connect().await?,
            written => break written?,
        }
    };
    ctx.mark(if written { "wrote" } else { "refused" });
    match lock.release(held).await {
        Ok(()) | Err(LockError::SessionLost) => Ok(()),
        Err(error) => Err(error),
    }
}

async fn enter(ctx: &Context, held: &Acquired, guarded: bool) -> Result<bool, ZkError> {
    let (entry, data, mode) = ("/log/entry-", held.path.as_bytes(), CreateMode::PersistentSequential);
    match guarded {
        true => fencing::guarded_create(ctx, held, entry, data, mode).await,
        false => faulty::create_after_a_look(ctx, held, entry, data, mode).await,
    }
}

fn world(name: &str, about: &str, way: Way) -> Scenario {
    scenario(name)
        .about(about)
        .source(SOURCE)
        .node(LOCK)
        .clients(2, move |ctx| writer(ctx, way))
        .resource()
        .expiries(1)
        .properties([no_overtaken_write(), somebody_is(&["wrote"], "somebody writes"), everybody_is_done()])
}

/// A holder is paused across its expiry: what helps, and what does not.
pub fn scenarios() -> Vec<Scenario> {
    let refused = || somebody_is(&["refused"], "a late write is refused");
    let log = |name: &str, about: &str, guarded| {
        scenario(name)
            .about(about)
            .source("semantics §1.7, §3.7")
            .node(LOCK)
            .node(LOG)
            .clients(2, move |ctx| logger(ctx, guarded))
            .resource()
            .expiries(1)
            .properties([log_in_order_of_grants(LOG), somebody_is(&["wrote"], "somebody writes"), everybody_is_done()])
    };
    let recreated = |name: &str, way| {
        let about = "The lock's parent is a container. Its only holder is paused, its session ends, the empty container is swept away \
                     and created again by the next holder: its nodes are numbered from 0 again.";
        world(name, about, way).without_nodes().container(LOCK).counting_from(5).sweeps(1).literal_numbers()
    };
    vec![
        world(
            "a lock alone",
            "The holder is paused, its session ends, the next one is granted the lock: both believe that they hold.",
            Way::NoToken,
        )
        .property(at_most_one_believer())
        .breaks("at most one believer")
        .kept_within_bounds_of("predecessor watching, pause within the session"),
        world(
            "a write without a token",
            "The holder is paused before its write arrives, its session ends, the next holder writes, and then the write of the first \
             arrives.",
            Way::NoToken,
        )
        .breaks("no overtaken write")
        .fixed_by("fenced by czxid"),
        world(
            "a look before the write",
            "The holder looks whether its node is still there, and is paused between the look and the write.",
            Way::AfterALook,
        )
        .breaks("no overtaken write")
        .fixed_by("fenced by czxid"),
        world(
            "a write unless told of the expiry",
            "The holder stops as soon as it is told that its session is over. A paused one is told too late.",
            Way::WhileNotTold,
        )
        .breaks("no overtaken write")
        .fixed_by("fenced by czxid"),
        world(
            "a session that expires by the client's clock",
            "The library gives the session up by its own clock while it is disconnected, before or after the server does, and the \
             holder stops as soon as it is told. A write that is on its way by then arrives all the same.",
            Way::WhileNotTold,
        )
        .expires_locally()
        .disconnects(1)
        .breaks("no overtaken write")
        .fixed_by("fenced by czxid, 1 disconnect"),
        recreated("fenced by suffix, parent created again", Way::Suffix)
            .breaks("no overtaken write")
            .fixed_by("fenced by czxid, parent created again"),
        recreated("fenced by suffix, rightful holder", Way::Suffix)
            .property(no_rightful_write_refused())
            .breaks("no rightful write is refused")
            .fixed_by("fenced by czxid, parent created again"),
        recreated("fenced by czxid, parent created again", Way::Czxid)
            .properties([no_rightful_write_refused(), refused()]),
        world("fenced by suffix", "As long as the lock's parent stays, its numbers order the holders.", Way::Suffix)
            .properties([refused(), no_rightful_write_refused()]),
        world("fenced by czxid", "The resource compares the transactions that created the lock nodes.", Way::Czxid)
            .properties([refused(), no_rightful_write_refused()]),
        world(
            "fenced by czxid, 1 disconnect",
            "As before, with a library that gives the session up by its own clock.",
            Way::Czxid,
        )
        .expires_locally()
        .disconnects(1)
        .properties([refused(), no_rightful_write_refused()]),
        world("fenced by a counter", "Each holder raises a counter in ZooKeeper and shows its value.", Way::Counter)
            .node(COUNTER)
            .properties([refused(), no_rightful_write_refused()]),
        log(
            "a look before the entry",
            "The data is in ZooKeeper. The holder looks whether its lock node is there and then writes; when its session ends in \
             between, it writes in a new one.",
            false,
        )
        .breaks("the log is in the order of the grants")
        .fixed_by("an entry guarded by the lock node"),
        log(
            "an entry guarded by the lock node",
            "The data is in ZooKeeper, and is written in one transaction with a check that the lock node is there.",
            true,
        )
        .property(refused()),
    ]
}
