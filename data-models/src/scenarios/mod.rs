//! The scenarios on data that come with the house.

pub mod cache;
pub mod carts;
pub mod groups;
pub mod groups_reading;
pub mod groups_two;
pub mod leases;
pub mod linearizable;
pub mod optimistic;
pub mod optimistic_slips;
pub mod orders;
pub mod pairs;
pub mod search;
pub mod snippets;
pub mod two_locks;

use overtake_models::Scenario;

/// All of them.
pub fn all() -> Vec<Scenario> {
    [
        cache::scenarios(),
        carts::scenarios(),
        groups::scenarios(),
        groups_reading::scenarios(),
        groups_two::scenarios(),
        leases::scenarios(),
        linearizable::scenarios(),
        optimistic::scenarios(),
        optimistic_slips::scenarios(),
        orders::scenarios(),
        search::scenarios(),
        snippets::scenarios(),
        two_locks::scenarios(),
    ]
    .concat()
}
