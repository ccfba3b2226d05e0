//! Public bug reports, found again: each as a small pair of programs, the faulty and the repaired one.
//!
//! One file a report. A report counts as found when the search finds a violation of the property that the report
//! names, by itself, and proves the repaired program within the same bounds.

use crate::scenario::Scenario;

/// All scenarios of this folder, faulty and repaired, in the order of their reports.
pub fn all() -> Vec<Scenario> {
    let pairs: [fn() -> Vec<Scenario>; 0] = [];
    pairs.iter().flat_map(|pair| pair()).collect()
}
