//! Public claims that are *not* bugs: the checker must not find any. Each comes with a mutant that has the fault which the
//! claim supposes, and which is found.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{Either, select};
use overtake_recipes::client::{Client, Options, RetryPolicy};
use overtake_recipes::names::{contenders, join};
use overtake_recipes::retry::PAUSE;
use overtake_recipes::{CreateMode, Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::names::Text;
use overtake_sim::program::Context;

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

/// etcd's mutex: a key of one's own under the prefix, then wait for all keys with a smaller revision to go.
async fn by_revision(ctx: Context, looks_first: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let own = join(LOCK, &format!("{:x}", zk.session_id()));
    if looks_first && !zk.children(LOCK).await?.is_empty() {
        ctx.mark("gave up");
        return Ok(());
    }
    zk.create(&own, b"", CreateMode::Ephemeral).await?;
    while !looks_first {
        ctx.checkpoint("wait for smaller revisions", &[&own]);
        let mut revisions = Vec::new();
        for name in zk.children(LOCK).await? {
            let path = join(LOCK, &name);
            if let Some(stat) = zk.exists(&path).await? {
                revisions.push((stat.czxid, path));
            }
        }
        revisions.sort();
        let at = revisions.iter().position(|(_, path)| *path == own).ok_or(ZkError::NoNode)?;
        let Some((_, last)) = revisions[..at].last() else {
            break;
        };
        match zk.watch_data(last).await {
            Ok((_, _, mut watch)) => drop(watch.next().await),
            Err(ZkError::NoNode) => {}
            Err(error) => return Err(error),
        }
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

const RECORD: &str = "/record";
const CLOCK: &str = "/clock";

/// Takes the record when it is empty, works, and gives it back: by its version, or by looking and writing.
async fn scripted(ctx: Context, atomic: bool) -> Result<(), ZkError> {
    let (zk, me) = (ctx.zookeeper(), ctx.unique_id());
    let (named, stat) = zk.get_data(RECORD).await?;
    if !named.is_empty() {
        return Ok(());
    }
    let taken = match zk.set_data(RECORD, me.as_bytes(), Some(stat.version)).await {
        Ok(stat) => stat,
        Err(ZkError::BadVersion) => return Ok(()),
        Err(error) => return Err(error),
    };
    ctx.mark_with("took", &me);
    ctx.work("work").await;
    ctx.unmark("took");
    if atomic {
        return match zk.set_data(RECORD, b"", Some(taken.version)).await {
            Ok(_) | Err(ZkError::BadVersion) => Ok(()),
            Err(error) => Err(error),
        };
    }
    let (named, _) = zk.get_data(RECORD).await?;
    if named == me.as_bytes() {
        zk.set_data(RECORD, b"", None).await?;
    }
    Ok(())
}

/// Ends the lease of whoever is named, once, and takes the record.
async fn successor(ctx: Context) -> Result<(), ZkError> {
    let (zk, me) = (ctx.zookeeper(), ctx.unique_id());
    let (named, stat) = zk.get_data(RECORD).await?;
    if named.is_empty() {
        return Ok(());
    }
    match zk.set_data(RECORD, me.as_bytes(), Some(stat.version)).await {
        Ok(_) => ctx.mark_with("holds", &me),
        Err(ZkError::BadVersion) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

/// The successor keeps what it took: nobody whose lease is over releases it.
fn the_record_stays_with_its_successor() -> Property {
    let record = Text::new(RECORD);
    Property::always("no release of another's lock", "redlock-rb#99, redis#4308", move |view| {
        let named = view.zookeeper().data(record).flatten();
        match view.clients().find(|c| c.mark("holds").is_some_and(|me| me != named)) {
            None => Ok(()),
            Some(c) => Err(format!("{} took the record, and somebody else released it", c.name())),
        }
    })
    .where_marked(&["holds"], 1)
}

/// redlock-rb#99, redis#4308: "get and del in the script can be interleaved". Scripts are atomic; translated, a release is
/// one conditional write.
fn scripts() -> Vec<Scenario> {
    let world = |name: &str, about: &str, atomic: bool| {
        scenario(name)
            .about(about)
            .source("https://github.com/redis/redis/issues/4308")
            .node(RECORD)
            .client("holder", move |ctx| scripted(ctx, atomic))
            .client("successor", successor)
            .properties([
                the_record_stays_with_its_successor(),
                no_program_fails(),
                somebody_is(&["took"], "somebody takes the record"),
                somebody_is(&["holds"], "somebody succeeds a holder"),
                everybody_is_done(),
            ])
    };
    vec![
        world("no bug: release in one script", "A release compares and clears the record in one step.", true),
        world(
            "mutant: release in two steps",
            "A release compares the record and clears it in a second step; between them it changes hands.",
            false,
        )
        .breaks("no release of another's lock")
        .fixed_by("no bug: release in one script"),
    ]
}

const LEASE: u32 = 1;
const SKEW: u32 = 2;

async fn number(ctx: &Context, path: &str) -> Result<(u32, i32), ZkError> {
    let (data, stat) = ctx.zookeeper().get_data(path).await?;
    let number = std::str::from_utf8(&data).ok().and_then(|text| text.parse().ok());
    Ok((number.unwrap_or(0), stat.version))
}

/// Renews the lease once: writes the time by its own clock, which is right.
async fn lessee(ctx: Context) -> Result<(), ZkError> {
    let (now, _) = number(&ctx, CLOCK).await?;
    let (_, version) = number(&ctx, RECORD).await?;
    match ctx.zookeeper().set_data(RECORD, (now + LEASE).to_string().as_bytes(), Some(version)).await {
        Ok(_) | Err(ZkError::BadVersion) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Takes the record over when the lease is over: by what is written there, or by what it has seen itself. Its clock is
/// fast.
async fn candidate(ctx: Context, trusts_the_record: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let (until, version) = number(&ctx, RECORD).await?;
    if until == 0 {
        return Ok(());
    }
    let seen = number(&ctx, CLOCK).await?.0 + SKEW;
    ctx.sleep(PAUSE).await;
    let now = number(&ctx, CLOCK).await?.0 + SKEW;
    let over = if trusts_the_record { now >= until } else { now >= seen + LEASE };
    if over {
        match zk.set_data(RECORD, b"", Some(version)).await {
            Ok(_) => ctx.mark_with("took over", &until.to_string()),
            Err(ZkError::BadVersion) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

async fn clock(ctx: Context) -> Result<(), ZkError> {
    for tick in 1_u32..=2 {
        ctx.zookeeper().set_data(CLOCK, tick.to_string().as_bytes(), None).await?;
    }
    Ok(())
}

/// Nobody takes a lease over before its end by the right clock.
fn no_running_lease_is_taken() -> Property {
    let clock = Text::new(CLOCK);
    Property::always("no running lease is taken over", "kubernetes/client-go#448", move |view| {
        let number = |text: Option<Text>| text.and_then(|text| text.to_string().parse::<u32>().ok()).unwrap_or(0);
        let now = number(view.zookeeper().data(clock).flatten());
        match view.clients().find(|c| c.is_marked("took over") && number(c.mark("took over").flatten()) > now) {
            None => Ok(()),
            Some(c) => Err(format!("{} took over a lease that runs on, the clock says {now}", c.name())),
        }
    })
    .where_marked(&["took over"], 1)
}

/// kubernetes/client-go#448: the proposal to trust the recorded time was rejected, for clocks differ.
fn leases() -> Vec<Scenario> {
    let world = |name: &str, about: &str, trusts: bool| {
        scenario(name)
            .about(about)
            .source("https://github.com/kubernetes/client-go/issues/448")
            .node(CLOCK)
            .node(RECORD)
            .client("lessee", lessee)
            .client("candidate", move |ctx| candidate(ctx, trusts))
            .client("clock", clock)
            .properties([
                no_running_lease_is_taken(),
                no_program_fails(),
                somebody_is(&["took over"], "somebody takes a lease over"),
                everybody_is_done(),
            ])
    };
    vec![
        world(
            "no bug: lease timed by who waits for it",
            "A candidate waits for the length of the lease by its own clock from when it saw the record, whatever time is \
             written there.",
            false,
        ),
        world(
            "mutant: recorded time trusted",
            "A candidate compares its own clock, which is fast, with the time that the holder has written.",
            true,
        )
        .breaks("no running lease is taken over")
        .fixed_by("no bug: lease timed by who waits for it"),
    ]
}

/// The scenarios.
pub fn scenarios() -> Vec<Scenario> {
    [waits(), noise(), outsiders(), revisions(), scripts(), leases()].concat()
}
