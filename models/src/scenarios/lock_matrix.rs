//! The lock implementations of the field side by side, each under each kind of fault: a table, not a pile.
//!
//! A column is a [`Case`], a row is an implementation; each field of the table is a scenario with the verdict that the
//! implementation deserves. `semantics` §5.9 is the table that the rows come from, §9.1 (Z109, Z111, Z143–Z154) that of
//! the columns.

use overtake_recipes::lock::faulty::ShippedWriteLock;
use overtake_recipes::lock::{
    CheckedCuratorMutex, CheckedKazooLock, CuratorMutex, KazooLock, Lock, ParentLock, PredecessorLock, RustClientLock,
    WriteLock,
};
use overtake_sim::program::Context;

use super::lock_matrix_programs::{Make, interruptible, once, timed};
use super::locks::{failing_call_properties, lock_properties};
use super::programs::LOCK;
use crate::property::*;
use crate::scenario::{Scenario, scenario};

/// What the callers do.
#[derive(Clone, Copy)]
enum Call {
    Once,
    Timed,
    Interruptible,
}

/// A column: what befalls the clients.
struct Case {
    /// The part of the name behind the comma.
    what: &'static str,
    about: &'static str,
    source: &'static str,
    clients: usize,
    call: Call,
    /// Adds the faults and the goals.
    with: fn(Scenario) -> Scenario,
}

/// The columns.
const CASES: [Case; 12] = [
    Case {
        what: "no faults",
        about: "Three clients, and nothing that goes wrong.",
        source: "Z143, Z144, Z161",
        clients: 3,
        call: Call::Once,
        with: |s| s.property(somebody_waits()),
    },
    Case {
        what: "expiry of the holder",
        about: "The holder's session ends; its node goes, the next in line is granted, and the old holder learns of it \
                late.",
        source: "Z147",
        clients: 3,
        call: Call::Once,
        with: |s| s.hit_while("holds").expiries(1).property(session_ends_while(&["holds"], "a holder's session ends")),
    },
    Case {
        what: "expiry of the first waiter",
        about: "The session of the one who waits ends: while the other holds, or just as the lock becomes free.",
        source: "Z146",
        clients: 2,
        call: Call::Once,
        with: |s| s.hit_while("wants").expiries(1).property(session_ends_while(&["wants"], "a waiter's session ends")),
    },
    Case {
        what: "expiry of a middle waiter",
        about: "A waiter with others before and behind it loses its session; the one behind is woken while the holder \
                still holds.",
        source: "Z109, Z146",
        clients: 3,
        call: Call::Once,
        with: |s| s.hit_while("wants").expiries(1).property(session_of_a_middle_waiter_ends(LOCK)),
    },
    Case {
        what: "connection lost and found",
        about: "One connection breaks, at any point: before a request is served, after it, with the reply or an event \
                on the wire.",
        source: "Z132 to Z134",
        clients: 2,
        call: Call::Once,
        with: |s| s.disconnects(1),
    },
    Case {
        what: "connection lost twice",
        about: "Two connections break, or one of them twice: the search after a lost reply can be lost too.",
        source: "semantics §4.2",
        clients: 2,
        call: Call::Once,
        with: |s| s.disconnects(2),
    },
    Case {
        what: "loss and expiry",
        about: "A connection breaks and a session ends, at any point: a call may be repeated in another session.",
        source: "semantics §4.3",
        clients: 2,
        call: Call::Once,
        with: |s| s.disconnects(1).expiries(1),
    },
    Case {
        what: "crash and restart",
        about: "A process dies and starts again while the server still keeps its first session.",
        source: "semantics §4.2",
        clients: 2,
        call: Call::Once,
        with: |s| s.crashes(1).restarts(1),
    },
    Case {
        what: "timed acquire",
        about: "Everybody waits until a time-out, which comes at any moment; a place in the middle is given up.",
        source: "Z151, Z111",
        clients: 3,
        call: Call::Timed,
        with: |s| s.properties(failing_call_properties()),
    },
    Case {
        what: "interrupted acquire",
        about: "A call is interrupted at any of its awaits; its node must go all the same.",
        source: "Z152",
        clients: 2,
        call: Call::Interruptible,
        with: |s| s.interrupts(1).properties(failing_call_properties()),
    },
    Case {
        what: "interrupted with the connection lost",
        about: "A call is interrupted, and a connection breaks: before, or while the node is taken away.",
        source: "Z152, semantics §5.1",
        clients: 2,
        call: Call::Interruptible,
        with: |s| s.interrupts(1).disconnects(1).properties(failing_call_properties()),
    },
    Case {
        what: "release with the connection cut",
        about: "The connection breaks while the holder releases: before the delete, or with its reply on the wire. The \
                node goes, now or after reconnecting, and the next waiter is granted once.",
        source: "Z153, Z136",
        clients: 2,
        call: Call::Once,
        with: |s| s.hit_while("releases").disconnects(1),
    },
];

/// What a field of the table is expected to end with: the property that breaks, and the implementation that is right
/// there; nothing for a proof.
type Expected = Option<(&'static str, &'static str)>;

const HOLDS: Expected = None;

/// The scenarios of one implementation, in the order of the cases.
fn row<L: Lock<Context> + 'static>(
    name: &'static str,
    make: Make<L>,
    expected: [Expected; CASES.len()],
) -> Vec<Scenario> {
    let field = |(case, expected): (&Case, Expected)| {
        let Case { what, about, source, clients, call, with } = case;
        let start = scenario(format!("{name}, {what}")).about(*about).source(*source).node(LOCK);
        let with_clients = match call {
            Call::Once => start.clients(*clients, move |ctx| once(ctx, make)),
            Call::Timed => start.clients(*clients, move |ctx| timed(ctx, make)),
            Call::Interruptible => start.clients(*clients, move |ctx| interruptible(ctx, make)),
        };
        let scenario = with(with_clients).properties(lock_properties());
        match expected {
            None => scenario,
            Some((property, cure)) => scenario.breaks(property).fixed_by(format!("{cure}, {what}")),
        }
    };
    CASES.iter().zip(expected).map(field).collect()
}

/// Another's node, or one that goes any moment, is taken for the own one (CURATOR-604).
const fn own(cure: &'static str) -> Expected {
    Some(("grant rests on a live node of the own session", cure))
}

/// A call that is interrupted takes nothing away: kazoo has `cancel()`, and a killed greenlet cleans nothing up; the
/// shipped `WriteLock` does not know of a node whose create it has not seen answered.
const LEFT: Expected = Some(("failed calls leave nothing", "predecessor watching"));

/// Nobody runs `lock()` again, or the node stays after a lost unlock.
const ASLEEP: Expected = Some(("no wait without a wake-up", "WriteLock repaired"));
/// `exists` leaves its watch on a node that is gone.
const WATCHING: Expected = Some(("no orphan watch", "WriteLock repaired"));

/// All fields of the table: one line an implementation, one column a case, in the order of [`CASES`].
pub fn scenarios() -> Vec<Scenario> {
    const H: Expected = HOLDS;
    const C: Expected = own("Curator mutex checked");
    const K: Expected = own("kazoo lock checked");
    const L: Expected = LEFT;
    const A: Expected = ASLEEP;
    let right = [H; CASES.len()];
    [
        row::<ParentLock<Context>>("parent watching", ParentLock::new, right),
        row::<PredecessorLock<Context>>("predecessor watching", PredecessorLock::new, right),
        row::<CuratorMutex<Context>>("Curator mutex", CuratorMutex::new, [H, H, C, C, H, H, C, H, H, H, H, H]),
        row::<CheckedCuratorMutex<Context>>("Curator mutex checked", CheckedCuratorMutex::new, right),
        row::<KazooLock<Context>>("kazoo lock", KazooLock::new, [H, H, K, K, H, H, K, H, H, L, L, H]),
        row::<CheckedKazooLock<Context>>(
            "kazoo lock checked",
            CheckedKazooLock::new,
            [H, H, H, H, H, H, H, H, H, L, L, H],
        ),
        row::<ShippedWriteLock<Context>>(
            "WriteLock",
            ShippedWriteLock::new,
            [A, A, A, A, A, A, A, A, WATCHING, LEFT, LEFT, A],
        ),
        row::<WriteLock<Context>>("WriteLock repaired", WriteLock::new, right),
        row::<RustClientLock<Context>>("Rust client lock", RustClientLock::new, right),
    ]
    .concat()
}
