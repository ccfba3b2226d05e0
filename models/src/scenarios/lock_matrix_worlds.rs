//! The lock implementations in wider worlds: with a server that lags (Z138, Z139), and with a resource behind the lock,
//! whose holder pauses across the end of its session and is judged by three oracles (§3.7).

use overtake_recipes::Token;
use overtake_recipes::lock::faulty::ShippedWriteLock;
use overtake_recipes::lock::{
    CheckedCuratorMutex, CheckedKazooLock, CuratorMutex, KazooLock, Lock, ParentLock, PredecessorLock, RustClientLock,
    SyncedRustClientLock, WriteLock,
};
use overtake_sim::program::Context;

use super::lock_matrix_programs::{Make, once, writes};
use super::locks::lock_properties;
use super::programs::LOCK;
use crate::property::*;
use crate::scenario::{Scenario, scenario};

/// Property that breaks, and the implementation that is right there.
type Expected = Option<(&'static str, &'static str)>;

const ABOUT_LOST: &str = "The reply to a create is lost, and the client comes back to a server that has not applied the create \
                          yet. Its search finds nothing, and a second node is made; the first, which nobody knows, blocks \
                          the lock. A sync before the search closes the hole.";
const ABOUT_ENDED: &str = "A client's session ends while it waits, at a server that lags. It is told of the end when its server has applied \
                           it, so its old node is gone from what it reads in the new session. (At the leader it may still be \
                           there: see “expiry of the first waiter”.)";

/// One client, for which a lost node of its own is enough to wait for ever; two, of which one is granted by a dying node.
fn lagging<L: Lock<Context> + 'static>(name: &str, make: Make<L>, lost: Expected, ended: Expected) -> Vec<Scenario> {
    let start = |what: &str, clients: usize| {
        scenario(format!("{name}, {what}"))
            .node(LOCK)
            .servers(2)
            .clients(clients, move |ctx| once(ctx, make))
            .properties(lock_properties())
    };
    let expect = |what: &str, scenario: Scenario, expected: Expected| match expected {
        None => scenario,
        Some((property, cure)) => scenario.breaks(property).fixed_by(format!("{cure}, {what}")),
    };
    let (create, session) = ("create lost at a lagging server", "new session at a lagging server");
    vec![
        expect(create, start(create, 1).about(ABOUT_LOST).source("Z138, Z139, semantics §4.3").disconnects(1), lost),
        expect(
            session,
            start(session, 2)
                .about(ABOUT_ENDED)
                .source("CURATOR-604, CURATOR-498, helix#1118")
                .attached_to(1)
                .property(lags())
                .hit_while("wants")
                .expiries(1)
                .property(session_ends_while(&["wants"], "a waiter's session ends")),
            ended,
        ),
    ]
}

/// A client is served by a server that has not applied all that is committed.
fn lags() -> Property {
    Property::sometimes("a client's server lags", |view| {
        let ensemble = view.ensemble();
        let behind = |server| ensemble.at(server).last_zxid() < ensemble.leader.last_zxid();
        view.clients().any(|client| behind(client.server()))
    })
}

/// A holder that pauses: nothing of it is delivered while its session ends and another is granted.
fn paused<L: Lock<Context> + 'static>(name: &str, make: Make<L>) -> Vec<Scenario> {
    let start = |what: &str, token: fn(i64) -> Token| {
        scenario(format!("{name}, {what}"))
            .about(
                "A holder pauses, its session ends, the next is granted; the holder wakes and writes to the resource before it \
                 learns anything.",
            )
            .source("semantics §3.7; CURATOR-206; Kleppmann 2016")
            .node(LOCK)
            .resource()
            .clients(2, move |ctx| writes(ctx, make, token))
            .hit_while("holds")
            .properties([no_wait_without_wake_up(), no_program_fails(), somebody_holds(), everybody_is_done()])
    };
    let written = || somebody_is(&["wrote"], "somebody writes");
    let ends = || session_ends_while(&["holds"], "a holder's session ends");
    let (belief, fenced) = (format!("{name}, pause within the session"), format!("{name}, pause, fenced resource"));
    vec![
        start("pause within the session", |_| Token::None).properties([
            at_most_one_believer(),
            no_overtaken_write(),
            written(),
        ]),
        start("pause, judged by belief", |_| Token::None)
            .expiries(1)
            .properties([at_most_one_believer(), written(), ends()])
            .breaks("at most one believer")
            .kept_within_bounds_of(belief),
        start("pause, judged by the tree", |_| Token::None).expiries(1).properties([
            at_most_one_live_holder(),
            written(),
            ends(),
        ]),
        start("pause, unfenced resource", |_| Token::None)
            .expiries(1)
            .properties([no_overtaken_write(), written(), ends()])
            .breaks("no overtaken write")
            .fixed_by(fenced),
        start("pause, fenced resource", Token::Czxid).expiries(1).properties([
            no_overtaken_write(),
            no_rightful_write_refused(),
            written(),
            ends(),
            somebody_is(&["refused"], "a late write is refused"),
        ]),
    ]
}

/// The scenarios.
pub fn scenarios() -> Vec<Scenario> {
    const ORPHAN: &str = "no wait without a wake-up";
    const H: Expected = None;
    let mut all = [
        lagging::<ParentLock<Context>>("parent watching", ParentLock::new, H, H),
        lagging::<PredecessorLock<Context>>("predecessor watching", PredecessorLock::new, H, H),
        lagging::<CuratorMutex<Context>>(
            "Curator mutex",
            CuratorMutex::new,
            Some((ORPHAN, "Curator mutex checked")),
            H,
        ),
        lagging::<CheckedCuratorMutex<Context>>("Curator mutex checked", CheckedCuratorMutex::new, H, H),
        lagging::<KazooLock<Context>>("kazoo lock", KazooLock::new, Some((ORPHAN, "kazoo lock checked")), H),
        lagging::<CheckedKazooLock<Context>>("kazoo lock checked", CheckedKazooLock::new, H, H),
        lagging::<ShippedWriteLock<Context>>(
            "WriteLock",
            ShippedWriteLock::new,
            Some((ORPHAN, "WriteLock repaired")),
            Some((ORPHAN, "WriteLock repaired")),
        ),
        lagging::<WriteLock<Context>>("WriteLock repaired", WriteLock::new, H, H),
        lagging::<RustClientLock<Context>>(
            "Rust client lock",
            RustClientLock::new,
            Some((ORPHAN, "Rust client lock with sync")),
            H,
        ),
        lagging::<SyncedRustClientLock<Context>>("Rust client lock with sync", SyncedRustClientLock::new, H, H),
    ]
    .concat();
    all.extend(paused::<ParentLock<Context>>("parent watching", ParentLock::new));
    all.extend(paused::<PredecessorLock<Context>>("predecessor watching", PredecessorLock::new));
    all.extend(paused::<CuratorMutex<Context>>("Curator mutex", CuratorMutex::new));
    all.extend(paused::<KazooLock<Context>>("kazoo lock", KazooLock::new));
    all.extend(paused::<WriteLock<Context>>("WriteLock repaired", WriteLock::new));
    all.extend(paused::<RustClientLock<Context>>("Rust client lock", RustClientLock::new));
    all
}
