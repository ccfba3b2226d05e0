//! The scenarios on data that come with the house.

pub mod groups;
pub mod groups_reading;
pub mod groups_two;
pub mod leases;
pub mod pairs;
pub mod snippets;

use overtake_models::Scenario;

/// All of them.
pub fn all() -> Vec<Scenario> {
    [
        groups::scenarios(),
        groups_reading::scenarios(),
        groups_two::scenarios(),
        leases::scenarios(),
        snippets::scenarios(),
    ]
    .concat()
}
