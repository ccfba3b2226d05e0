//! Public bug reports, found again: each as a small pair of programs, the faulty and the repaired one.
//!
//! One file a report. A report counts as found when the search finds a violation of the property that the report
//! names, by itself, and proves the repaired program within the same bounds.

use overtake_models::Scenario;

/// All of them.
pub fn all() -> Vec<Scenario> {
    Vec::new()
}
