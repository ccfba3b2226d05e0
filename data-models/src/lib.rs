//! Scenarios on hash tables, documents, queues and a search endpoint, what they are judged by, and the public bug reports
//! that are found again in them.
pub mod chapter;
pub mod contention;
pub mod costs;
pub mod linear;
pub mod property;
pub mod reports;
pub mod scenarios;

use overtake_models::Scenario;

/// All scenarios of this crate. Names are unique.
pub fn all() -> Vec<Scenario> {
    let mut all = scenarios::all();
    all.extend(reports::all());
    all
}
