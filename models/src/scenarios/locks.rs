//! The lock recipes under every kind of fault.

use overtake_recipes::{ParentLock, PredecessorLock};

use super::programs::{LOCK, once};
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
        somebody_waits(),
        everybody_is_done(),
    ]
}

/// The scenarios.
pub fn scenarios() -> Vec<Scenario> {
    vec![
        scenario("predecessor lock")
            .about("Each client creates a node, watches the one before its own, works when there is none, and deletes its node.")
            .source("seed 1, section 2.3")
            .node(LOCK)
            .clients(3, once::<PredecessorLock<_>>)
            .properties(lock_properties()),
        scenario("parent lock")
            .about("Each client creates a node, watches the parent's list, works when its own node is the lowest, and deletes it.")
            .source("seed 1, section 2")
            .node(LOCK)
            .clients(3, once::<ParentLock<_>>)
            .properties(lock_properties()),
    ]
}
