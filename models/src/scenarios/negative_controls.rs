//! Public claims that are *not* bugs: the checker must not find any. Each comes with a mutant that has the fault which the
//! claim supposes, and which is found.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{Either, select};
use overtake_recipes::client::{Client, Options, RetryPolicy};
use overtake_recipes::names::{contenders, join};
use overtake_recipes::retry::PAUSE;
use overtake_recipes::{CreateMode, Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::negative_controls_records;
use super::programs::LOCK;
use crate::bugs::steps::{enqueue, hold, line, place, turn};
use crate::property::*;
use crate::scenario::{Scenario, scenario};

/// How a waiter's loop treats the moment between watching and waiting.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    /// May wake for no reason, and lists again.
    Spuriously,
    /// May wake for no reason, and takes it for its turn.
    SpuriouslyAndTrusts,
    /// Comes late to the wait; the event that came before is still there (the monitor is held from getData to wait).
    Late,
    /// Comes late to the wait; an event that came before is gone (no monitor).
    LateAndDeaf,
}

async fn waiter(ctx: Context, waits: Waits) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let own = enqueue(&ctx, "/lock/n-").await?;
    loop {
        ctx.checkpoint("list", &[&own]);
        let line = line(&ctx, LOCK).await?;
        let at = place(&line, &own).ok_or(ZkError::NoNode)?;
        if at == 0 {
            return hold(&ctx, &own).await;
        }
        let mut watch = match zk.watch_data(&line[at - 1]).await {
            Ok((_, _, watch)) => watch,
            Err(ZkError::NoNode) => continue,
            Err(error) => return Err(error),
        };
        match waits {
            Waits::Spuriously | Waits::SpuriouslyAndTrusts => {
                let (event, spurious) = (std::pin::pin!(watch.next()), std::pin::pin!(ctx.sleep(Duration::ZERO)));
                if let Either::Right(_) = select(event, spurious).await {
                    ctx.mark("woken for nothing");
                    if waits == Waits::SpuriouslyAndTrusts {
                        return hold(&ctx, &own).await;
                    }
                }
            }
            Waits::Late | Waits::LateAndDeaf => {
                ctx.sleep(Duration::ZERO).await;
                if waits == Waits::LateAndDeaf {
                    let _ = watch.next().now_or_never();
                }
                watch.next().await;
            }
        }
    }
}

/// CURATOR-283, CURATOR-527 and CURATOR-641, as far as one thread goes. (That the notifier needs the monitor is a matter
/// of two threads.)
fn waits() -> Vec<Scenario> {
    let waiters = |name: &str, about: &str, source: &str, waits: Waits| {
        scenario(name).about(about).source(source).node(LOCK).clients(3, move |ctx| waiter(ctx, waits)).properties([
            at_most_one_live_holder(),
            no_wait_without_wake_up(),
            no_orphan_node(LOCK),
            no_program_fails(),
            somebody_holds(),
            everybody_is_done(),
        ])
    };
    let spurious = "A waiter may wake for no reason at any time. Its loop lists again, so it does no harm.";
    let late = "The predecessor is deleted between getData and wait. The event waits where the waiter looks for it.";
    let woken = || somebody_is(&["woken for nothing"], "somebody wakes for nothing");
    let (c283, c527) =
        ("https://github.com/apache/curator/issues/803", "https://github.com/apache/curator/issues/1046 and 1157");
    vec![
        waiters("no bug: spurious wake-ups", spurious, c283, Waits::Spuriously).property(woken()),
        waiters(
            "mutant: spurious wake-up taken for a turn",
            "As above, without the list: who wakes believes that it is its turn.",
            c283,
            Waits::SpuriouslyAndTrusts,
        )
        .property(woken())
        .breaks("at most one live holder")
        .fixed_by("no bug: spurious wake-ups"),
        waiters("no bug: deleted between getData and wait", late, c527, Waits::Late),
        waiters(
            "mutant: event lost before the wait",
            "As above, without the monitor: an event that comes before the wait is missed.",
            c527,
            Waits::LateAndDeaf,
        )
        .breaks("no wait without a wake-up")
        .fixed_by("no bug: deleted between getData and wait"),
    ]
}

/// A candidate that gives up its place whenever it is connected again, once each time.
async fn noisy_latch(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let policy = RetryPolicy::SessionFailed(Box::new(RetryPolicy::Forever { pause: PAUSE }));
    let client = Client::new(ctx.clone(), Options { policy, ..Options::default() });
    let stand = || client.create_protected(LOCK, "latch-", CreateMode::EphemeralSequential, &[]);
    let mut own = join(LOCK, &stand().await?);
    let delete = |own: String| {
        let (zk, client) = (ctx.zookeeper(), client.clone());
        async move {
            match client.call("latch: delete", &[&own], || zk.delete(&own, None)).await {
                Err(ZkError::NoNode) => Ok(()),
                done => done,
            }
        }
    };
    loop {
        let names = contenders(client.call("latch: list", &[&own], || zk.children(LOCK)).await?);
        let paths: Vec<String> = names.iter().map(|name| join(LOCK, name)).collect();
        let Some(at) = place(&paths, &own) else {
            own = join(LOCK, &stand().await?);
            continue;
        };
        if at == 0 {
            ctx.mark_with("holds", &own);
            ctx.work("lead").await;
            ctx.unmark("holds");
            return delete(own).await;
        }
        let other = &paths[at - 1];
        let mut watch = match client.call("latch: watch", &[&own, other], || zk.watch_data(other)).await {
            Ok((_, _, watch)) => watch,
            Err(ZkError::NoNode) => continue,
            Err(error) => return Err(error),
        };
        loop {
            match watch.next().await {
                WatchedEvent::Node { .. } => break,
                WatchedEvent::Session(SessionState::Connected) => {
                    ctx.mark("has reset");
                    delete(own).await?;
                    own = join(LOCK, &stand().await?);
                    break;
                }
                WatchedEvent::Session(_) => {}
            }
        }
    }
}

/// CURATOR-504: resets on reconnecting are noisy, but each reconnect gives one reset, and somebody leads. (When a missing
/// predecessor resets too, they never end: O84.)
fn noise() -> Vec<Scenario> {
    vec![
        scenario("no bug: resets on reconnecting")
            .about("Two candidates give up their places when they are connected again. With no more losses somebody leads.")
            .source("https://github.com/apache/curator/issues/1024")
            .node(LOCK)
            .clients(2, noisy_latch)
            .disconnects(2)
            .properties([
                everybody_ends(),
                at_most_one_live_holder(),
                no_orphan_node(LOCK),
                no_program_fails(),
                somebody_holds(),
                somebody_is(&["has reset"], "somebody resets"),
                everybody_is_done(),
            ]),
    ]
}

async fn leader(ctx: Context) -> Result<(), ZkError> {
    let own = enqueue(&ctx, "/lock/n-").await?;
    if !turn(&ctx, LOCK, &own).await? {
        return Ok(());
    }
    match hold(&ctx, &own).await {
        Err(ZkError::NoNode) => Ok(()),
        done => done,
    }
}

/// Deletes the lowest node, whosever it is.
async fn outsider(ctx: Context) -> Result<(), ZkError> {
    if let Some(path) = line(&ctx, LOCK).await?.first() {
        match ctx.zookeeper().delete(path, None).await {
            Ok(()) => ctx.mark("meddled"),
            Err(ZkError::NoNode) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// CURATOR-171: whether it is a bug that a leader does not watch its own node depends on who may delete it.
fn outsiders() -> Vec<Scenario> {
    let leaders = |name: &str, about: &str| {
        scenario(name)
            .about(about)
            .source("https://github.com/apache/curator/pull/195")
            .node(LOCK)
            .clients(2, leader)
            .properties([no_wait_without_wake_up(), no_program_fails(), somebody_holds(), everybody_is_done()])
    };
    let meddled = || somebody_is(&["meddled"], "an outsider deletes a node");
    vec![
        leaders("no bug: leader does not watch its node", "Nobody deletes a node but its owner: one leader at a time.")
            .property(at_most_one_believer()),
        leaders(
            "no bug: outsider deletes, judged by the tree",
            "An outsider deletes the lowest node. By the tree there is one leader at a time all the same.",
        )
        .client("outsider", outsider)
        .properties([at_most_one_live_holder(), meddled()]),
        leaders(
            "fault: outsider deletes, judged by belief",
            "The same outsider: the leader whose node is deleted leads on beside the next one.",
        )
        .client("outsider", outsider)
        .properties([at_most_one_believer(), meddled()])
        .breaks("at most one believer")
        .fixed_by("no bug: leader does not watch its node"),
    ]
}

/// Waits until no key with a smaller revision is left.
async fn smallest(ctx: &Context, own: &str) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    loop {
        ctx.checkpoint("wait for smaller revisions", &[own]);
        let mut revisions = Vec::new();
        for name in zk.children(LOCK).await? {
            let path = join(LOCK, &name);
            if let Some(stat) = zk.exists(&path).await? {
                revisions.push((stat.czxid, path));
            }
        }
        revisions.sort();
        let at = revisions.iter().position(|(_, path)| path == own).ok_or(ZkError::NoNode)?;
        let Some((_, last)) = revisions[..at].last() else {
            return Ok(());
        };
        match zk.watch_data(last).await {
            Ok((_, _, mut watch)) => drop(watch.next().await),
            Err(ZkError::NoNode) => {}
            Err(error) => return Err(error),
        }
    }
}

/// etcd's mutex: a key of one's own under the prefix, then wait for all keys with a smaller revision to go.
async fn by_revision(ctx: Context, looks_first: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let own = join(LOCK, &format!("{:x}", zk.session_id()));
    if looks_first && !zk.children(LOCK).await?.is_empty() {
        ctx.mark("gave up");
        return Ok(());
    }
    zk.create(&own, b"", CreateMode::Ephemeral).await?;
    if !looks_first {
        smallest(&ctx, &own).await?;
    }
    hold(&ctx, &own).await
}

/// etcd#11928: "two waiters may both see no key". Keys are made before anybody looks, and ordered by their revision.
fn revisions() -> Vec<Scenario> {
    let source = "https://github.com/etcd-io/etcd/issues/11928";
    let world = |name: &str, about: &str, looks_first: bool| {
        scenario(name)
            .about(about)
            .source(source)
            .node(LOCK)
            .clients(2, move |ctx| by_revision(ctx, looks_first))
            .zxids()
            .properties([
                at_most_one_live_holder(),
                no_wait_without_wake_up(),
                no_program_fails(),
                somebody_holds(),
                everybody_is_done(),
            ])
    };
    vec![
        world(
            "no bug: keys ordered by revision",
            "Each client makes a key of its session and waits until all keys with smaller revisions are gone.",
            false,
        ),
        world(
            "mutant: looks before it makes its key",
            "A client looks for keys first and makes its own when there is none: two may see none.",
            true,
        )
        .breaks("at most one live holder")
        .fixed_by("no bug: keys ordered by revision"),
    ]
}

/// The scenarios.
pub fn scenarios() -> Vec<Scenario> {
    [waits(), noise(), outsiders(), revisions(), negative_controls_records::scenarios()].concat()
}
