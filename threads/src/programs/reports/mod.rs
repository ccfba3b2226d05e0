//! Public reports about threads inside one process, found again: each as a pair of programs, the faulty and the repaired
//! one, whose only difference is what the report asks for. Numbers: `docs/sources.md`.
//!
//! Those with a twin among the worlds (`overtake-models`) violate a property of the same name there.

mod o02_lease_by_a_callback;
mod o03_flag_survives_a_reset;
mod o05_one_watcher_for_enter_and_leave;
mod o10_task_recorded_too_late;
mod o18_wait_for_a_creation;
mod o19_wait_on_no_channel;
mod o22_raised_limit_unnoticed;
mod o23_never_queued_again;
mod o24_cleanup_error_ends_candidacy;
mod o25_first_connection_ignored;
mod o27_timed_leave_spins;
mod o28_listener_not_yet_running;
mod o29_registered_after_the_reply;
mod o38_interrupted_create;
mod o40_release_forgets;
mod o43_node_after_close;
mod o46_timed_out_waiter_stays;
mod o54_heartbeat_after_release;
mod o59_event_thread_blocked;
mod o60_expiry_waits_for_the_event;
mod o61_second_try_spins;
mod o62_two_objects_one_path;
mod o63_half_reentrant_lock;
mod o65_release_clears_the_next_lease;
mod o67_release_with_stale_version;
mod o68_old_handler_new_session;
mod o81_token_of_another_node;

use crate::check::{Program, Stage, program};

/// What both programs of a report have in common.
pub(crate) struct Report {
    /// Number and name.
    pub name: &'static str,
    /// Where it was reported.
    pub source: &'static str,
    /// What happens.
    pub about: &'static str,
    /// What the faulty program violates.
    pub violates: &'static str,
    /// The class of the report in the project's list.
    pub class: &'static str,
}

/// A faulty program and its repair. The name is that of the twin among the worlds, with `threads: ` in front of it.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The class of the report in the project's list.
    pub class: &'static str,
    /// As reported.
    pub faulty: Program,
    /// With the repair.
    pub repaired: Program,
}

impl Report {
    /// The two programs; the body is told whether it is the repaired one, and reaches `the end` where it comes to it.
    fn pair(self, body: impl Fn(&Stage, bool) + Send + Sync + Clone + 'static) -> Pair {
        let named = format!("threads: {}", self.name);
        let cured = format!("{named}, repaired");
        let other = body.clone();
        let faulty = program(&named, move |stage| body(stage, false));
        let repaired = program(&cured, move |stage| {
            other(stage, true);
            if !stage.is_violated() {
                stage.reached("the end");
            }
        });
        let tell = |program: Program| program.source(self.source).about(self.about);
        Pair {
            class: self.class,
            faulty: tell(faulty).breaks(self.violates).fixed_by(&cured),
            repaired: tell(repaired).sometimes(&["the end"]),
        }
    }
}

/// All of them, in the order of their numbers.
pub fn all() -> Vec<Pair> {
    let pairs: [fn() -> Pair; 27] = [
        o02_lease_by_a_callback::pair,
        o03_flag_survives_a_reset::pair,
        o05_one_watcher_for_enter_and_leave::pair,
        o10_task_recorded_too_late::pair,
        o18_wait_for_a_creation::pair,
        o19_wait_on_no_channel::pair,
        o22_raised_limit_unnoticed::pair,
        o23_never_queued_again::pair,
        o24_cleanup_error_ends_candidacy::pair,
        o25_first_connection_ignored::pair,
        o27_timed_leave_spins::pair,
        o28_listener_not_yet_running::pair,
        o29_registered_after_the_reply::pair,
        o38_interrupted_create::pair,
        o40_release_forgets::pair,
        o43_node_after_close::pair,
        o46_timed_out_waiter_stays::pair,
        o54_heartbeat_after_release::pair,
        o59_event_thread_blocked::pair,
        o60_expiry_waits_for_the_event::pair,
        o61_second_try_spins::pair,
        o62_two_objects_one_path::pair,
        o63_half_reentrant_lock::pair,
        o65_release_clears_the_next_lease::pair,
        o67_release_with_stale_version::pair,
        o68_old_handler_new_session::pair,
        o81_token_of_another_node::pair,
    ];
    pairs.iter().map(|pair| pair()).collect()
}
