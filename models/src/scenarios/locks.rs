//! The lock recipes under every kind of fault.

use overtake_recipes::lock::Lock;
use overtake_recipes::{ParentLock, PredecessorLock};
use overtake_sim::program::Context;

use super::programs::{LOCK, interruptible, once, rounds, timed, try_once};
use crate::property::*;
use crate::scenario::{Scenario, scenario};

/// What every lock must keep.
pub fn lock_properties() -> Vec<Property> {
    vec![
        at_most_one_live_holder(),
        grant_rests_on_own_live_node(),
        grants_in_order_of_creation(),
        no_wait_without_wake_up(),
        no_orphan_node(LOCK),
        no_orphan_watch(),
        no_program_fails(),
        somebody_holds(),
        everybody_is_done(),
    ]
}

/// What a call that may fail must keep too.
pub fn failing_call_properties() -> Vec<Property> {
    vec![
        failed_calls_leave_nothing(LOCK),
        failed_calls_are_never_granted(),
        somebody_is(&["gave up"], "somebody gives up"),
    ]
}

const PARENT: &str = "Each client creates a node, watches the parent's list of children, works when its own node is the \
                      lowest, and deletes it.";
const PREDECESSOR: &str = "Each client creates a node under an id of its own, watches the node before its own, works when \
                           there is none, and deletes its node; after a lost reply it looks for its id.";

/// Each client acquires the lock once.
fn base<L: Lock<Context> + 'static>(name: &str, clients: usize) -> Scenario {
    let (about, source, wake_ups) = match name {
        "parent lock" => (PARENT, "seed 1, section 2", clients - 1),
        _ => (PREDECESSOR, "seed 1, section 2.3", 1),
    };
    scenario(name)
        .about(about)
        .source(source)
        .node(LOCK)
        .clients(clients, once::<L>)
        .properties(lock_properties())
        .property(wake_ups_per_release_at_most(wake_ups))
        .property(somebody_waits())
}

/// The same recipe under each kind of fault, and with calls that may fail.
fn family<L: Lock<Context> + 'static>(name: &'static str) -> Vec<Scenario> {
    let once_each = |what: &str, clients: usize| base::<L>(name, clients).called(format!("{name}, {what}"));
    let failing = |what: &str, with: Scenario| {
        with.called(format!("{name}, {what}"))
            .about(format!("As {name}, but the callers do not wait for ever."))
            .source("seed 1; semantics of tryLock and of lock with a time-out")
            .node(LOCK)
            .properties(lock_properties())
            .properties(failing_call_properties())
    };
    vec![
        base::<L>(name, 3),
        base::<L>(name, 3).called(format!("{name}, everybody ends")).expiries(1).property(everybody_ends()),
        once_each("4 clients", 4),
        once_each("1 expiry", 3).expiries(1),
        once_each("2 expiries", 3).expiries(2),
        once_each("1 disconnect", 2).disconnects(1),
        once_each("1 disconnect of 3", 3).disconnects(1),
        once_each("2 disconnects", 2).disconnects(2),
        once_each("1 disconnect and 1 expiry", 2).disconnects(1).expiries(1),
        once_each("1 crash", 3).crashes(1),
        scenario(format!("{name}, 1 crash and restart"))
            .about("As above; one process dies and starts again before the server has given up its first session.")
            .source("seed 1, section 2.1")
            .node(LOCK)
            .clients(2, once::<L>)
            .crashes(1)
            .restarts(1)
            .properties(lock_properties())
            .property(somebody_waits()),
        scenario(format!("{name}, twice each"))
            .about("As above; each client acquires the lock twice.")
            .source("seed 1, section 2")
            .node(LOCK)
            .clients(2, |ctx| rounds::<L>(ctx, 2))
            .properties(lock_properties())
            .property(somebody_waits()),
        failing("try", scenario(name).clients(2, try_once::<L>)),
        failing("try, 1 disconnect", scenario(name).clients(2, try_once::<L>).disconnects(1)),
        failing("time-out", scenario(name).clients(3, timed::<L>)),
        failing("time-out, 1 disconnect", scenario(name).clients(2, timed::<L>).disconnects(1)),
        failing("1 interrupt", scenario(name).clients(2, interruptible::<L>).interrupts(1)),
        failing(
            "1 interrupt and 1 disconnect",
            scenario(name).clients(2, interruptible::<L>).interrupts(1).disconnects(1),
        ),
    ]
}

/// The scenarios.
pub fn scenarios() -> Vec<Scenario> {
    let mut all = family::<PredecessorLock<Context>>("predecessor lock");
    all.extend(family::<ParentLock<Context>>("parent lock"));
    all
}
