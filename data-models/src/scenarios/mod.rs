//! The scenarios on data that come with the house.

pub mod groups;
pub mod groups_reading;
pub mod groups_two;
pub mod leases;

use overtake_models::Scenario;

/// All of them.
pub fn all() -> Vec<Scenario> {
    [groups::scenarios(), groups_reading::scenarios(), groups_two::scenarios(), leases::scenarios()].concat()
}
