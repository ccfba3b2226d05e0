//! Public bug reports, found again: each as a small pair of programs, the faulty and the repaired one.
//!
//! One file a report, named by its number in the catalogue of reports: `ca_01_what_happens.rs`. A report counts as found when the
//! search finds a violation of the property that the report names, by itself, and proves the repaired program within the same
//! bounds. Where the report's thread (or common sense) holds a repair that does not repair, the **trap**, it is a scenario of its
//! own that still breaks.
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

use overtake_models::Scenario;

/// A report: its number in the catalogue, its pattern, its scenarios.
pub type Report = (&'static str, &'static str, fn() -> Vec<Scenario>);

/// All reports that are found again, in the order of their numbers.
pub const REPORTS: &[Report] = &[];

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
