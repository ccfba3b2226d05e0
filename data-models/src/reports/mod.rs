//! Public bug reports, found again: each as a small pair of programs, the faulty and the repaired one.
//!
//! One file a report, named by its number (`docs/sources.md`): `ca_01_what_happens.rs`. A report counts as found when the
//! search finds a violation of the property that the report names, by itself, and proves the repaired program within the same
//! bounds. Where the report's thread (or common sense) holds a repair that does not repair, the **trap**, it is a scenario of its
//! own that still breaks. Which reports hold one stands in [`TRAPS`]; which do not count although they are here, in [`DISPUTED`].
//!
//! # Form
//!
//! A file has `pub const PATTERN: &str = "P5";` and `pub fn scenarios() -> Vec<Scenario>`. Its scenarios are called `CA-01 what
//! happens`, `CA-01 what happens, repaired` and `CA-01 what happens, trap: what was tried`. Here it has two lines: its `pub mod`, and
//! its entry in [`REPORTS`]. Both lists are sorted by the number.
//!
//! # Patterns
//!
//! Many reports are one mistake in other clothes. The mistakes are numbered in [`PATTERNS`]; what counts is that each of them
//! is found at least once, and how often.

pub mod ab_01_touch_sets_the_version_back;
pub mod ab_02_save_without_change;
pub mod ab_03_version_key_evicted;
pub mod ab_04_missing_revision_is_zero;
pub mod ab_06_status_for_another_object;
pub mod ab_08_applied_to_what_is_gone;
pub mod ab_09_tombstone_in_memory;
pub mod ab_10_index_read_without_value;
pub mod ab_12_version_by_the_second;
pub mod ca_01_checkouts_oversell;
pub mod ca_02_voucher_past_its_limit;
pub mod ca_04_gift_card_spent_twice;
pub mod ca_05_coupon_for_two_orders;
pub mod ca_06_code_in_several_carts;
pub mod ca_07_allocated_after_the_check;
pub mod ca_09_if_match_in_two_steps;
pub mod ca_11_token_family_forks;
pub mod ca_12_refresh_token_used_twice;
pub mod ca_13_payment_completed_twice;
pub mod ca_14_append_at_the_newest_version;
pub mod ca_15_double_bookings;
pub mod ca_17_quota_counted_before;
pub mod cache;
pub mod da_01_increment_sent_again;
pub mod da_02_write_repeated_later;
pub mod da_04_replace_tried_again;
pub mod da_06_insert_clashes_with_itself;
pub mod da_08_success_by_value;
pub mod da_09_lock_taken_unknowingly;
pub mod da_10_another_key_for_the_retry;
pub mod da_12_count_kept_over_attempts;
pub mod da_13_counter_lowered_twice;
pub mod di_01_upserts_at_once;
pub mod di_03_find_or_create;
pub mod di_05_one_key_two_executions;
pub mod di_06_sagas_of_one_value;
pub mod di_08_merge_under_a_snapshot;
pub mod dl_01_orders_lock_each_other;
pub mod dl_03_requests_of_one_cart;
pub mod dl_04_locked_by_itself;
pub mod ex_01_counter_without_end;
pub mod ex_02_evicted_before_the_increment;
pub mod ex_03_lock_without_deadline;
pub mod ex_04_release_of_anothers_lock;
pub mod ex_06_locked_job_waits_too_long;
pub mod ex_08_expired_entry_in_the_way;
pub mod ex_10_update_drops_the_deadline;
pub mod ex_11_read_refreshes_the_write_time;
pub mod ex_12_repair_sets_a_released_lock;
pub mod ex_13_two_take_over;
pub mod lb_01_deleted_item_survives;
pub mod lb_02_merge_over_a_library;
pub mod lb_05_versions_compared_by_the_client;
pub mod lb_06_hidden_discard;
pub mod lb_07_watch_on_a_shared_connection;
pub mod lb_09_failed_acquire_changes_the_lock;
pub mod lu_01_saved_twice_at_once;
pub mod lu_02_added_to_cart_at_once;
pub mod lu_03_session_saved_unchanged;
pub mod lu_04_session_saved_again;
pub mod lu_05_logged_out_and_alive;
pub mod lu_07_ordered_cart_is_back;
pub mod lu_08_list_written_as_a_whole;
pub mod lu_10_update_or_create;
pub mod lu_12_points_sent_twice;
pub mod ov_01_answers_out_of_order;
pub mod ov_03_short_query_answers_last;
pub mod ov_04_every_other_request_aborted;
pub mod ov_06_unrelated_refetch_cancelled;
pub mod ov_07_poll_brings_a_row_back;
pub mod page;
pub mod pm_01_registered_before_it_is_there;
pub mod pm_03_touched_entry_forgotten;
pub mod pm_04_index_outlives_the_entity;
pub mod pm_06_log_and_head_apart;
pub mod pm_07_failed_cleanup_fails_the_retry;
pub mod pm_08_two_clocks_for_one_row;
pub mod pm_10_index_of_an_intermediate_value;
pub mod pm_11_stopped_between_two_indexes;
pub mod pm_12_removed_to_be_replaced;
pub mod pm_13_list_of_all_keys;
pub mod rm_01_webhooks_out_of_sync;
pub mod rm_03_a_job_for_each_priority;
pub mod rm_04_cursor_skips_an_event;
pub mod rm_05_webhook_before_the_order;
pub mod rm_07_flush_of_a_former_owner;
pub mod rm_09_delete_hidden_by_create;
pub mod rm_10_deleted_by_range;
pub mod rm_11_autosaves_out_of_order;
pub mod rw_01_partial_update_keeps_the_version;
pub mod rw_03_total_beside_the_version;
pub mod rw_04_conflict_with_nobody;
pub mod rw_06_new_object_saved_not_inserted;
pub mod rw_07_condition_ignored_with_acquire;
pub mod rw_08_delete_by_another_clock;
pub mod rx_01_update_given_up_in_silence;
pub mod rx_03_second_form_of_a_conflict;
pub mod rx_04_conflict_ignored;
pub mod rx_05_rejected_action_forgotten;
pub mod rx_06_retry_with_the_stale_token;
pub mod rx_07_two_mistakes_hide_each_other;
pub mod see;
pub mod sr_01_fill_after_invalidate;
pub mod sr_02_deleted_looks_like_never_cached;
pub mod sr_04_invalidated_before_the_write;
pub mod sr_05_row_deleted_entry_back;
pub mod sr_06_valid_lease_lagging_replica;
pub mod sr_08_refetch_joins_an_old_request;
pub mod sr_09_cache_behind_the_own_write;
pub mod sr_11_read_before_the_lock;
pub mod sr_13_invalid_until_a_minute_from_now;
pub mod sr_14_revision_remembered;
pub mod sr_15_put_from_an_old_transaction;
pub mod sr_16_stale_for_good;
pub mod steps;
pub mod ws_01_admins_demote_each_other;
pub mod ws_03_commit_in_two_steps;
pub mod ws_04_paid_is_not_ordered;

use overtake_models::Scenario;

/// A report: its number in the catalogue, its pattern, its scenarios.
pub type Report = (&'static str, &'static str, fn() -> Vec<Scenario>);

/// All reports that are found again, in the order of their numbers.
pub const REPORTS: &[Report] = &[
    ("AB-01", ab_01_touch_sets_the_version_back::PATTERN, ab_01_touch_sets_the_version_back::scenarios),
    ("AB-02", ab_02_save_without_change::PATTERN, ab_02_save_without_change::scenarios),
    ("AB-03", ab_03_version_key_evicted::PATTERN, ab_03_version_key_evicted::scenarios),
    ("AB-04", ab_04_missing_revision_is_zero::PATTERN, ab_04_missing_revision_is_zero::scenarios),
    ("AB-06", ab_06_status_for_another_object::PATTERN, ab_06_status_for_another_object::scenarios),
    ("AB-08", ab_08_applied_to_what_is_gone::PATTERN, ab_08_applied_to_what_is_gone::scenarios),
    ("AB-09", ab_09_tombstone_in_memory::PATTERN, ab_09_tombstone_in_memory::scenarios),
    ("AB-10", ab_10_index_read_without_value::PATTERN, ab_10_index_read_without_value::scenarios),
    ("AB-12", ab_12_version_by_the_second::PATTERN, ab_12_version_by_the_second::scenarios),
    ("CA-01", ca_01_checkouts_oversell::PATTERN, ca_01_checkouts_oversell::scenarios),
    ("CA-02", ca_02_voucher_past_its_limit::PATTERN, ca_02_voucher_past_its_limit::scenarios),
    ("CA-04", ca_04_gift_card_spent_twice::PATTERN, ca_04_gift_card_spent_twice::scenarios),
    ("CA-05", ca_05_coupon_for_two_orders::PATTERN, ca_05_coupon_for_two_orders::scenarios),
    ("CA-06", ca_06_code_in_several_carts::PATTERN, ca_06_code_in_several_carts::scenarios),
    ("CA-07", ca_07_allocated_after_the_check::PATTERN, ca_07_allocated_after_the_check::scenarios),
    ("CA-09", ca_09_if_match_in_two_steps::PATTERN, ca_09_if_match_in_two_steps::scenarios),
    ("CA-11", ca_11_token_family_forks::PATTERN, ca_11_token_family_forks::scenarios),
    ("CA-12", ca_12_refresh_token_used_twice::PATTERN, ca_12_refresh_token_used_twice::scenarios),
    ("CA-13", ca_13_payment_completed_twice::PATTERN, ca_13_payment_completed_twice::scenarios),
    ("CA-14", ca_14_append_at_the_newest_version::PATTERN, ca_14_append_at_the_newest_version::scenarios),
    ("CA-15", ca_15_double_bookings::PATTERN, ca_15_double_bookings::scenarios),
    ("CA-17", ca_17_quota_counted_before::PATTERN, ca_17_quota_counted_before::scenarios),
    ("DA-01", da_01_increment_sent_again::PATTERN, da_01_increment_sent_again::scenarios),
    ("DA-02", da_02_write_repeated_later::PATTERN, da_02_write_repeated_later::scenarios),
    ("DA-04", da_04_replace_tried_again::PATTERN, da_04_replace_tried_again::scenarios),
    ("DA-06", da_06_insert_clashes_with_itself::PATTERN, da_06_insert_clashes_with_itself::scenarios),
    ("DA-08", da_08_success_by_value::PATTERN, da_08_success_by_value::scenarios),
    ("DA-09", da_09_lock_taken_unknowingly::PATTERN, da_09_lock_taken_unknowingly::scenarios),
    ("DA-10", da_10_another_key_for_the_retry::PATTERN, da_10_another_key_for_the_retry::scenarios),
    ("DA-12", da_12_count_kept_over_attempts::PATTERN, da_12_count_kept_over_attempts::scenarios),
    ("DA-13", da_13_counter_lowered_twice::PATTERN, da_13_counter_lowered_twice::scenarios),
    ("DI-01", di_01_upserts_at_once::PATTERN, di_01_upserts_at_once::scenarios),
    ("DI-03", di_03_find_or_create::PATTERN, di_03_find_or_create::scenarios),
    ("DI-05", di_05_one_key_two_executions::PATTERN, di_05_one_key_two_executions::scenarios),
    ("DI-06", di_06_sagas_of_one_value::PATTERN, di_06_sagas_of_one_value::scenarios),
    ("DI-08", di_08_merge_under_a_snapshot::PATTERN, di_08_merge_under_a_snapshot::scenarios),
    ("DL-01", dl_01_orders_lock_each_other::PATTERN, dl_01_orders_lock_each_other::scenarios),
    ("DL-03", dl_03_requests_of_one_cart::PATTERN, dl_03_requests_of_one_cart::scenarios),
    ("DL-04", dl_04_locked_by_itself::PATTERN, dl_04_locked_by_itself::scenarios),
    ("EX-01", ex_01_counter_without_end::PATTERN, ex_01_counter_without_end::scenarios),
    ("EX-02", ex_02_evicted_before_the_increment::PATTERN, ex_02_evicted_before_the_increment::scenarios),
    ("EX-03", ex_03_lock_without_deadline::PATTERN, ex_03_lock_without_deadline::scenarios),
    ("EX-04", ex_04_release_of_anothers_lock::PATTERN, ex_04_release_of_anothers_lock::scenarios),
    ("EX-06", ex_06_locked_job_waits_too_long::PATTERN, ex_06_locked_job_waits_too_long::scenarios),
    ("EX-08", ex_08_expired_entry_in_the_way::PATTERN, ex_08_expired_entry_in_the_way::scenarios),
    ("EX-10", ex_10_update_drops_the_deadline::PATTERN, ex_10_update_drops_the_deadline::scenarios),
    ("EX-11", ex_11_read_refreshes_the_write_time::PATTERN, ex_11_read_refreshes_the_write_time::scenarios),
    ("EX-12", ex_12_repair_sets_a_released_lock::PATTERN, ex_12_repair_sets_a_released_lock::scenarios),
    ("EX-13", ex_13_two_take_over::PATTERN, ex_13_two_take_over::scenarios),
    ("LB-01", lb_01_deleted_item_survives::PATTERN, lb_01_deleted_item_survives::scenarios),
    ("LB-02", lb_02_merge_over_a_library::PATTERN, lb_02_merge_over_a_library::scenarios),
    ("LB-05", lb_05_versions_compared_by_the_client::PATTERN, lb_05_versions_compared_by_the_client::scenarios),
    ("LB-06", lb_06_hidden_discard::PATTERN, lb_06_hidden_discard::scenarios),
    ("LB-07", lb_07_watch_on_a_shared_connection::PATTERN, lb_07_watch_on_a_shared_connection::scenarios),
    ("LB-09", lb_09_failed_acquire_changes_the_lock::PATTERN, lb_09_failed_acquire_changes_the_lock::scenarios),
    ("LU-01", lu_01_saved_twice_at_once::PATTERN, lu_01_saved_twice_at_once::scenarios),
    ("LU-02", lu_02_added_to_cart_at_once::PATTERN, lu_02_added_to_cart_at_once::scenarios),
    ("LU-03", lu_03_session_saved_unchanged::PATTERN, lu_03_session_saved_unchanged::scenarios),
    ("LU-04", lu_04_session_saved_again::PATTERN, lu_04_session_saved_again::scenarios),
    ("LU-05", lu_05_logged_out_and_alive::PATTERN, lu_05_logged_out_and_alive::scenarios),
    ("LU-07", lu_07_ordered_cart_is_back::PATTERN, lu_07_ordered_cart_is_back::scenarios),
    ("LU-08", lu_08_list_written_as_a_whole::PATTERN, lu_08_list_written_as_a_whole::scenarios),
    ("LU-10", lu_10_update_or_create::PATTERN, lu_10_update_or_create::scenarios),
    ("LU-12", lu_12_points_sent_twice::PATTERN, lu_12_points_sent_twice::scenarios),
    ("OV-01", ov_01_answers_out_of_order::PATTERN, ov_01_answers_out_of_order::scenarios),
    ("OV-03", ov_03_short_query_answers_last::PATTERN, ov_03_short_query_answers_last::scenarios),
    ("OV-04", ov_04_every_other_request_aborted::PATTERN, ov_04_every_other_request_aborted::scenarios),
    ("OV-06", ov_06_unrelated_refetch_cancelled::PATTERN, ov_06_unrelated_refetch_cancelled::scenarios),
    ("OV-07", ov_07_poll_brings_a_row_back::PATTERN, ov_07_poll_brings_a_row_back::scenarios),
    ("PM-01", pm_01_registered_before_it_is_there::PATTERN, pm_01_registered_before_it_is_there::scenarios),
    ("PM-03", pm_03_touched_entry_forgotten::PATTERN, pm_03_touched_entry_forgotten::scenarios),
    ("PM-04", pm_04_index_outlives_the_entity::PATTERN, pm_04_index_outlives_the_entity::scenarios),
    ("PM-06", pm_06_log_and_head_apart::PATTERN, pm_06_log_and_head_apart::scenarios),
    ("PM-07", pm_07_failed_cleanup_fails_the_retry::PATTERN, pm_07_failed_cleanup_fails_the_retry::scenarios),
    ("PM-08", pm_08_two_clocks_for_one_row::PATTERN, pm_08_two_clocks_for_one_row::scenarios),
    ("PM-10", pm_10_index_of_an_intermediate_value::PATTERN, pm_10_index_of_an_intermediate_value::scenarios),
    ("PM-11", pm_11_stopped_between_two_indexes::PATTERN, pm_11_stopped_between_two_indexes::scenarios),
    ("PM-12", pm_12_removed_to_be_replaced::PATTERN, pm_12_removed_to_be_replaced::scenarios),
    ("PM-13", pm_13_list_of_all_keys::PATTERN, pm_13_list_of_all_keys::scenarios),
    ("RM-01", rm_01_webhooks_out_of_sync::PATTERN, rm_01_webhooks_out_of_sync::scenarios),
    ("RM-03", rm_03_a_job_for_each_priority::PATTERN, rm_03_a_job_for_each_priority::scenarios),
    ("RM-04", rm_04_cursor_skips_an_event::PATTERN, rm_04_cursor_skips_an_event::scenarios),
    ("RM-05", rm_05_webhook_before_the_order::PATTERN, rm_05_webhook_before_the_order::scenarios),
    ("RM-07", rm_07_flush_of_a_former_owner::PATTERN, rm_07_flush_of_a_former_owner::scenarios),
    ("RM-09", rm_09_delete_hidden_by_create::PATTERN, rm_09_delete_hidden_by_create::scenarios),
    ("RM-10", rm_10_deleted_by_range::PATTERN, rm_10_deleted_by_range::scenarios),
    ("RM-11", rm_11_autosaves_out_of_order::PATTERN, rm_11_autosaves_out_of_order::scenarios),
    ("RW-01", rw_01_partial_update_keeps_the_version::PATTERN, rw_01_partial_update_keeps_the_version::scenarios),
    ("RW-03", rw_03_total_beside_the_version::PATTERN, rw_03_total_beside_the_version::scenarios),
    ("RW-04", rw_04_conflict_with_nobody::PATTERN, rw_04_conflict_with_nobody::scenarios),
    ("RW-06", rw_06_new_object_saved_not_inserted::PATTERN, rw_06_new_object_saved_not_inserted::scenarios),
    ("RW-07", rw_07_condition_ignored_with_acquire::PATTERN, rw_07_condition_ignored_with_acquire::scenarios),
    ("RW-08", rw_08_delete_by_another_clock::PATTERN, rw_08_delete_by_another_clock::scenarios),
    ("RX-01", rx_01_update_given_up_in_silence::PATTERN, rx_01_update_given_up_in_silence::scenarios),
    ("RX-03", rx_03_second_form_of_a_conflict::PATTERN, rx_03_second_form_of_a_conflict::scenarios),
    ("RX-04", rx_04_conflict_ignored::PATTERN, rx_04_conflict_ignored::scenarios),
    ("RX-05", rx_05_rejected_action_forgotten::PATTERN, rx_05_rejected_action_forgotten::scenarios),
    ("RX-06", rx_06_retry_with_the_stale_token::PATTERN, rx_06_retry_with_the_stale_token::scenarios),
    ("RX-07", rx_07_two_mistakes_hide_each_other::PATTERN, rx_07_two_mistakes_hide_each_other::scenarios),
    ("SR-01", sr_01_fill_after_invalidate::PATTERN, sr_01_fill_after_invalidate::scenarios),
    ("SR-02", sr_02_deleted_looks_like_never_cached::PATTERN, sr_02_deleted_looks_like_never_cached::scenarios),
    ("SR-04", sr_04_invalidated_before_the_write::PATTERN, sr_04_invalidated_before_the_write::scenarios),
    ("SR-05", sr_05_row_deleted_entry_back::PATTERN, sr_05_row_deleted_entry_back::scenarios),
    ("SR-06", sr_06_valid_lease_lagging_replica::PATTERN, sr_06_valid_lease_lagging_replica::scenarios),
    ("SR-08", sr_08_refetch_joins_an_old_request::PATTERN, sr_08_refetch_joins_an_old_request::scenarios),
    ("SR-09", sr_09_cache_behind_the_own_write::PATTERN, sr_09_cache_behind_the_own_write::scenarios),
    ("SR-11", sr_11_read_before_the_lock::PATTERN, sr_11_read_before_the_lock::scenarios),
    ("SR-13", sr_13_invalid_until_a_minute_from_now::PATTERN, sr_13_invalid_until_a_minute_from_now::scenarios),
    ("SR-14", sr_14_revision_remembered::PATTERN, sr_14_revision_remembered::scenarios),
    ("SR-15", sr_15_put_from_an_old_transaction::PATTERN, sr_15_put_from_an_old_transaction::scenarios),
    ("SR-16", sr_16_stale_for_good::PATTERN, sr_16_stale_for_good::scenarios),
    ("WS-01", ws_01_admins_demote_each_other::PATTERN, ws_01_admins_demote_each_other::scenarios),
    ("WS-03", ws_03_commit_in_two_steps::PATTERN, ws_03_commit_in_two_steps::scenarios),
    ("WS-04", ws_04_paid_is_not_ordered::PATTERN, ws_04_paid_is_not_ordered::scenarios),
];

/// Reports that are modelled and do not count, each with the reason: what the report asks for is not kept by the repair that it names, so
/// property or repair is another here. The files say more, under *Disputed*.
pub const DISPUTED: &[(&str, &str)] = &[
    (
        "CA-07",
        "the report clamps the write as well, so a paid order may get nothing; the proved program pays back, a state that the report lacks.",
    ),
    (
        "CA-17",
        "the repair publishes before it counts, so for a moment there is a live record too many; acknowledged ones are counted here.",
    ),
    (
        "SR-15",
        "the repair takes a stale entry back after its put, so the cache is stale for a moment; it is looked at when at rest.",
    ),
];

/// Reports whose threads hold a repair that does not repair, each with how many. A report of this list counts only when that many
/// scenarios called `…, trap: …` are refuted; other traps are our own. (OV-06 is not in it: what it calls a trap is its faulty program.)
pub const TRAPS: &[(&str, usize)] = &[
    ("CA-11", 2),
    ("CA-15", 1),
    ("CA-17", 1),
    ("DA-04", 2),
    ("DA-10", 1),
    ("DI-01", 2),
    ("DI-03", 1),
    ("DI-05", 1),
    ("EX-04", 1),
    ("EX-10", 1),
    ("LB-05", 1),
    ("LU-02", 2),
    ("LU-07", 1),
    ("PM-01", 1),
    ("PM-13", 2),
    ("RX-01", 1),
    ("RX-04", 1),
    ("RX-07", 2),
    ("SR-02", 1),
    ("SR-06", 1),
    ("SR-15", 1),
];

/// The mistakes, each with what it means.
pub const PATTERNS: [(&str, &str); 27] = [
    ("P1", "whole value read, changed, written back without version"),
    ("P2", "write-back by a request that changed nothing"),
    ("P3", "insert-or-update revives a deleted key"),
    ("P4", "find, then insert"),
    ("P5", "guard and effect on one key are separate steps"),
    ("P6", "guard reads one key, effect writes another"),
    ("P7", "two-key write torn by a crash or by another client"),
    ("P8", "cache fill after miss against invalidate"),
    ("P9", "acting on a read behind the last write"),
    ("P10", "late answer replaces a newer one"),
    ("P11", "message order: overtaken, early, concurrent by priority, merged"),
    ("P12", "version value used twice"),
    ("P13", "incarnations confused after delete and re-create"),
    ("P14", "resend after unknown outcome takes effect twice"),
    ("P15", "unknown outcome judged wrongly"),
    ("P16", "side effect inside a retry loop, or beside an idempotent call"),
    ("P17", "conflict swallowed, not recognised, or attempts used up"),
    ("P18", "retry with stale input, or local change dropped on reload"),
    ("P19", "writer that bypasses (or secretly bumps) the version"),
    ("P20", "expiry or eviction between two calls of one logical step"),
    ("P21", "lease outlived: release, take-over or write by a former holder"),
    ("P22", "deadline changed or lost by an unrelated operation"),
    ("P23", "lock cycle or self-lock"),
    ("P24", "comparison done outside the store's atomic step"),
    ("P25", "connection-scoped state shared between logical clients"),
    ("P26", "two write paths with different clocks"),
    ("P27", "needed follow-up work dropped"),
];

/// All scenarios of the reports, faulty, repaired and traps, in the order of their reports.
pub fn all() -> Vec<Scenario> {
    REPORTS.iter().flat_map(|(_, _, scenarios)| scenarios()).collect()
}
