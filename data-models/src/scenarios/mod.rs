//! The scenarios on data that come with the house.

use overtake_models::Scenario;

/// All of them.
pub fn all() -> Vec<Scenario> {
    Vec::new()
}
