//! Properties: what must hold of a world. One property a file, each with its source.

mod atomicity;
mod closed_barrier;
mod ends;
mod failed_calls;
mod grant;
mod herd;
mod independence;
mod items;
mod leadership;
mod live;
mod one_holder;
mod order;
mod orphans;
mod outcome;
mod overtaken;
mod permits;
mod readers_wait;
mod readers_writers;
mod requests;
mod rest;
mod session_ends;
mod shared_order;
mod sometimes;
mod together;
mod two_objects;

use std::fmt;
use std::sync::Arc;

pub use atomicity::{all_commit_or_all_abort, whoever_votes_learns_the_outcome};
pub use closed_barrier::nobody_passes_a_closed_barrier;
pub use ends::everybody_ends;
pub use failed_calls::{failed_calls_are_never_granted, failed_calls_leave_nothing};
pub use grant::grant_rests_on_own_live_node;
pub use herd::wake_ups_per_release_at_most;
pub use independence::orders_are_independent;
pub use items::{no_item_beside_an_idle_consumer, no_item_is_lost, no_item_is_taken_twice};
pub use leadership::{
    a_followed_leader_knows_it, at_most_one_leader, nobody_leads_while_suspended, the_first_in_line_leads,
};
pub use one_holder::{at_most_one_believer, at_most_one_live_holder};
pub use order::grants_in_order_of_creation;
pub use orphans::{no_orphan_node, no_orphan_watch};
pub use outcome::{no_program_fails, no_program_panics};
pub use overtaken::{log_in_order_of_grants, no_overtaken_write, no_rightful_write_refused};
pub use permits::{no_more_live_leases_than, no_waiter_beside_a_free_permit};
pub use readers_wait::readers_wait_for_writers_only;
pub use readers_writers::readers_and_writers_apart;
pub use requests::requests_while_blocked_at_most;
pub use rest::no_wait_without_wake_up;
pub use session_ends::{session_ends_while, session_of_a_middle_waiter_ends};
pub use shared_order::shared_grants_in_order;
pub use sometimes::{everybody_is_done, somebody_holds, somebody_is, somebody_waits};
pub use together::{ROUNDS, nobody_enters_before_all, nobody_leaves_before_all, whoever_leaves_gets_out};
pub use two_objects::objects_exclude_each_other;

use overtake_sim::world::View;

type Check = dyn Fn(&View<'_>) -> Result<(), String> + Send + Sync;
type Reach = dyn Fn(&View<'_>) -> bool + Send + Sync;

/// When a property is worth looking at: fewer clients with one of the marks, and it holds anyway.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Names of marks.
    pub marks: &'static [&'static str],
    /// Number of clients that must carry one of them.
    pub at_least: usize,
}

/// What kind of statement a property makes.
#[derive(Clone)]
pub enum Kind {
    /// Holds in every state; the error says in a sentence why it does not.
    Always(Arc<Check>),
    /// Holds in every state in which nothing but faults can happen any more.
    AtRest(Arc<Check>),
    /// Holds in some state, so that the rest does not hold for want of anything happening.
    Sometimes(Arc<Reach>),
    /// No step sends more watch events than this.
    AtMostNotified(usize),
    /// Every fair run reaches such a state: whatever is enabled for ever is done some time, faults excepted.
    Eventually(Arc<Reach>),
}

/// A property of a world.
#[derive(Clone)]
pub struct Property {
    /// The name in tables, traces and messages.
    pub name: &'static str,
    /// Where the rule comes from.
    pub source: &'static str,
    /// The statement.
    pub kind: Kind,
    /// A cheap test that spares the look.
    pub guard: Option<Guard>,
    /// The answer depends on *which* of several clients with the same program does what.
    pub tells_clients_apart: bool,
}

impl fmt::Debug for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Property").field(&self.name).finish()
    }
}

impl Property {
    /// A property of every state.
    pub fn always(
        name: &'static str,
        source: &'static str,
        check: impl Fn(&View<'_>) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        Self { name, source, kind: Kind::Always(Arc::new(check)), guard: None, tells_clients_apart: false }
    }

    /// A property of every state at rest.
    pub fn at_rest(
        name: &'static str,
        source: &'static str,
        check: impl Fn(&View<'_>) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        Self { name, source, kind: Kind::AtRest(Arc::new(check)), guard: None, tells_clients_apart: false }
    }

    /// Something that must happen somewhere.
    pub fn sometimes(name: &'static str, reach: impl Fn(&View<'_>) -> bool + Send + Sync + 'static) -> Self {
        Self {
            name,
            source: "nothing may hold for want of anything happening",
            kind: Kind::Sometimes(Arc::new(reach)),
            guard: None,
            tells_clients_apart: false,
        }
    }

    /// Something that every fair run reaches, faults or not.
    pub fn eventually(
        name: &'static str,
        source: &'static str,
        goal: impl Fn(&View<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { name, source, kind: Kind::Eventually(Arc::new(goal)), guard: None, tells_clients_apart: false }
    }

    /// Says that the answer depends on *which* of several clients with the same program does what: on their slots, names or
    /// order. Such clients are otherwise interchangeable (a search visits one arrangement of them only), so a property that
    /// looks at them must say it.
    pub fn telling_clients_apart(mut self) -> Self {
        self.tells_clients_apart = true;
        self
    }

    /// The same property, looked at only where that many clients carry one of the marks; elsewhere it holds (a
    /// `sometimes`: is not reached) by itself.
    pub fn where_marked(mut self, marks: &'static [&'static str], at_least: usize) -> Self {
        self.guard = Some(Guard { marks, at_least });
        self
    }

    /// Why the state (reached by a step that sent so many watch events) violates the property; `None` when it does not.
    pub fn violation(&self, view: &View<'_>, at_rest: bool, notified: usize) -> Option<String> {
        match &self.kind {
            Kind::Always(check) => check(view).err(),
            Kind::AtRest(check) if at_rest => check(view).err(),
            Kind::AtMostNotified(most) if notified > *most => {
                Some(format!("one step woke {notified} clients, {most} would do"))
            }
            _ => None,
        }
    }

    /// Whether it is something to be reached rather than something to be kept.
    pub fn is_sometimes(&self) -> bool {
        matches!(self.kind, Kind::Sometimes(_))
    }
}
