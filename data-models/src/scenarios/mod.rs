//! The scenarios on data that come with the house.

pub mod carts;
pub mod groups;
pub mod groups_reading;
pub mod groups_two;
pub mod leases;
pub mod optimistic;
pub mod pairs;
pub mod snippets;
pub mod two_locks;

use overtake_models::Scenario;

/// All of them.
pub fn all() -> Vec<Scenario> {
    [
        carts::scenarios(),
        groups::scenarios(),
        groups_reading::scenarios(),
        groups_two::scenarios(),
        leases::scenarios(),
        optimistic::scenarios(),
        snippets::scenarios(),
        two_locks::scenarios(),
    ]
    .concat()
}
