//! Public bug reports, found again: each as a small pair of programs, the faulty and the repaired one.
//!
//! One file a report. A report counts as found when the search finds a violation of the property that the report
//! names, by itself, and proves the repaired program within the same bounds.

pub mod o01_leader_by_a_wake_up;
pub mod o02_lease_by_a_callback;
pub mod o03_flag_survives_a_reset;
pub mod o04_writer_waits_for_one_reader;
pub mod o05_one_watcher_for_enter_and_leave;
pub mod o06_lock_by_a_dying_node;
pub mod o07_leader_by_an_old_node;
pub mod o08_adopted_dying_node;
pub mod o09_work_goes_on_after_expiry;
pub mod o10_task_recorded_too_late;
pub mod o11_wait_ends_without_own_key;
pub mod o12_deposed_leader_ends_sessions;
pub mod o13_lost_channel_never_fires;
pub mod o14_deposed_leader_keeps_trying;
pub mod o15_lease_over_when_written;
pub mod o16_retry_hides_a_new_session;
pub mod o17_first_watches_nothing;
pub mod o18_wait_for_a_creation;
pub mod o19_wait_on_no_channel;
pub mod o20_asleep_after_suspension;
pub mod o21_watches_lost_on_reconnect;
pub mod o22_raised_limit_unnoticed;
pub mod o23_never_queued_again;
pub mod o24_cleanup_error_ends_candidacy;
pub mod o25_first_connection_ignored;
pub mod o26_consumer_keeps_a_dead_watch;
pub mod o27_timed_leave_spins;
pub mod o28_listener_not_yet_running;
pub mod o29_registered_after_the_reply;
pub mod o30_item_left_beside_an_idle_consumer;
pub mod o31_waits_on_without_a_node;
pub mod o32_session_moved_for_ever;
pub mod o33_all_watch_the_first;
pub mod o34_all_watch_one_key;
pub mod o35_spins_from_zero;
pub mod o36_create_repeated_blindly;
pub mod o37_failed_call_left_its_node;
pub mod o38_interrupted_create;
pub mod o39_node_of_a_lost_leadership;
pub mod o40_release_forgets;
pub mod o41_lease_of_a_failed_acquire;
pub mod o42_more_leases_than_asked_for;
pub mod o43_node_after_close;
pub mod o44_member_multiplies;
pub mod o45_failed_try_leaks;
pub mod o46_timed_out_waiter_stays;
pub mod o47_persistent_lock_node;
pub mod o48_first_lock_kept;
pub mod o49_taken_nodes_stay;
pub mod o50_create_behind_close;
pub mod o51_zxid_before_its_data;
pub mod o52_own_dying_node;
pub mod o53_old_node_reused;
pub mod o54_heartbeat_after_release;
pub mod o55_session_thrown_away;
pub mod o56_loss_without_release;
pub mod o57_barrier_counts_ghosts;
pub mod o58_reader_waits_for_later_writer;
pub mod o60_expiry_waits_for_the_event;
pub mod o61_second_try_spins;
pub mod o62_two_objects_one_path;
pub mod o63_half_reentrant_lock;
pub mod o64_retried_unlock;
pub mod o65_release_clears_the_next_lease;
pub mod o66_check_then_delete;
pub mod o67_release_with_stale_version;
pub mod o68_old_handler_new_session;
pub mod o69_whole_names_sorted;
pub mod o70_sequence_number_wraps;
pub mod o71_own_node_missing;
pub mod o72_sleeps_though_free;
pub mod o73_live_waiter_pruned;
pub mod o74_creation_watches_pile_up;
pub mod o75_node_leaked_per_try;
pub mod o76_stale_after_reconnect;
pub mod o77_new_session_stale_assignment;
pub mod o78_leader_leaves_during_query;
pub mod o79_zxid_taken_from_events;
pub mod o80_unfenced_controller;
pub mod o81_token_of_another_node;
pub mod o82_random_tokens;
pub mod o83_pause_between_grant_and_use;
pub mod o84_latches_reset_each_other;
pub mod o85_vanished_head_retried;
pub mod properties;
pub mod properties_b;
pub mod report;
pub mod requests;
pub mod steps;

use crate::scenario::Scenario;

/// All scenarios of this folder, faulty and repaired, in the order of their reports.
pub fn all() -> Vec<Scenario> {
    let pairs: &[fn() -> Vec<Scenario>] = &[
        o01_leader_by_a_wake_up::scenarios,
        o02_lease_by_a_callback::scenarios,
        o03_flag_survives_a_reset::scenarios,
        o04_writer_waits_for_one_reader::scenarios,
        o05_one_watcher_for_enter_and_leave::scenarios,
        o06_lock_by_a_dying_node::scenarios,
        o07_leader_by_an_old_node::scenarios,
        o08_adopted_dying_node::scenarios,
        o09_work_goes_on_after_expiry::scenarios,
        o10_task_recorded_too_late::scenarios,
        o11_wait_ends_without_own_key::scenarios,
        o12_deposed_leader_ends_sessions::scenarios,
        o13_lost_channel_never_fires::scenarios,
        o14_deposed_leader_keeps_trying::scenarios,
        o15_lease_over_when_written::scenarios,
        o16_retry_hides_a_new_session::scenarios,
        o17_first_watches_nothing::scenarios,
        o18_wait_for_a_creation::scenarios,
        o19_wait_on_no_channel::scenarios,
        o20_asleep_after_suspension::scenarios,
        o21_watches_lost_on_reconnect::scenarios,
        o22_raised_limit_unnoticed::scenarios,
        o23_never_queued_again::scenarios,
        o24_cleanup_error_ends_candidacy::scenarios,
        o25_first_connection_ignored::scenarios,
        o26_consumer_keeps_a_dead_watch::scenarios,
        o27_timed_leave_spins::scenarios,
        o28_listener_not_yet_running::scenarios,
        o29_registered_after_the_reply::scenarios,
        o30_item_left_beside_an_idle_consumer::scenarios,
        o31_waits_on_without_a_node::scenarios,
        o32_session_moved_for_ever::scenarios,
        o33_all_watch_the_first::scenarios,
        o34_all_watch_one_key::scenarios,
        o35_spins_from_zero::scenarios,
        o36_create_repeated_blindly::scenarios,
        o37_failed_call_left_its_node::scenarios,
        o38_interrupted_create::scenarios,
        o39_node_of_a_lost_leadership::scenarios,
        o40_release_forgets::scenarios,
        o41_lease_of_a_failed_acquire::scenarios,
        o42_more_leases_than_asked_for::scenarios,
        o43_node_after_close::scenarios,
        o44_member_multiplies::scenarios,
        o45_failed_try_leaks::scenarios,
        o46_timed_out_waiter_stays::scenarios,
        o47_persistent_lock_node::scenarios,
        o48_first_lock_kept::scenarios,
        o49_taken_nodes_stay::scenarios,
        o50_create_behind_close::scenarios,
        o51_zxid_before_its_data::scenarios,
        o52_own_dying_node::scenarios,
        o53_old_node_reused::scenarios,
        o54_heartbeat_after_release::scenarios,
        o55_session_thrown_away::scenarios,
        o56_loss_without_release::scenarios,
        o57_barrier_counts_ghosts::scenarios,
        o58_reader_waits_for_later_writer::scenarios,
        o60_expiry_waits_for_the_event::scenarios,
        o61_second_try_spins::scenarios,
        o62_two_objects_one_path::scenarios,
        o63_half_reentrant_lock::scenarios,
        o64_retried_unlock::scenarios,
        o65_release_clears_the_next_lease::scenarios,
        o66_check_then_delete::scenarios,
        o67_release_with_stale_version::scenarios,
        o68_old_handler_new_session::scenarios,
        o69_whole_names_sorted::scenarios,
        o70_sequence_number_wraps::scenarios,
        o71_own_node_missing::scenarios,
        o72_sleeps_though_free::scenarios,
        o73_live_waiter_pruned::scenarios,
        o74_creation_watches_pile_up::scenarios,
        o75_node_leaked_per_try::scenarios,
        o76_stale_after_reconnect::scenarios,
        o77_new_session_stale_assignment::scenarios,
        o78_leader_leaves_during_query::scenarios,
        o79_zxid_taken_from_events::scenarios,
        o80_unfenced_controller::scenarios,
        o81_token_of_another_node::scenarios,
        o82_random_tokens::scenarios,
        o83_pause_between_grant_and_use::scenarios,
        o84_latches_reset_each_other::scenarios,
        o85_vanished_head_retried::scenarios,
    ];
    pairs.iter().flat_map(|pair| pair()).collect()
}
