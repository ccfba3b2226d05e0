//! The scenarios on data that come with Overtake.

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

use overtake_models::{Expected, Scenario};

/// All of them, each in its family.
pub fn all() -> Vec<Scenario> {
    [
        of("cache", cache::scenarios()),
        of("carts", carts::scenarios()),
        of("groups of keys", groups::scenarios()),
        by(
            |name| if name.starts_with("GetGroup") { "GetGroup" } else { "denormalised groups" },
            groups_reading::scenarios(),
        ),
        by(up_to_the_second_comma, groups_two::scenarios()),
        of("leases", leases::scenarios()),
        of("linearizability", linearizable::scenarios()),
        by(up_to_the_colon, optimistic::scenarios()),
        by(up_to_the_colon, optimistic_slips::scenarios()),
        of("messages", orders::scenarios()),
        by(|name| name.split(", ").next().unwrap_or(name), search::scenarios()),
        by(up_to_the_colon, snippets::scenarios()),
        of("two locks in different order", two_locks::scenarios()),
    ]
    .concat()
}

/// Programs of one family.
fn of(family: &'static str, scenarios: Vec<Scenario>) -> Vec<Scenario> {
    by(|_| family, scenarios)
}

/// Families that are told by names. A faulty program is in the family of its repair, unless it has none.
fn by(family: impl Fn(&str) -> &str, scenarios: Vec<Scenario>) -> Vec<Scenario> {
    let with = |scenario: Scenario| match (scenario.belongs_to(), scenario.expected(), scenario.repair()) {
        (None, Expected::Proved, _) | (None, _, None) => {
            let name = family(scenario.name()).to_owned();
            scenario.family(name)
        }
        _ => scenario,
    };
    scenarios.into_iter().map(with).collect()
}

/// `snippet 1` of `snippet 1: find, add one, replace`.
fn up_to_the_colon(name: &str) -> &str {
    name.split(": ").next().unwrap_or(name)
}

/// `two groups, one record` of `two groups, one record, its cost`.
fn up_to_the_second_comma(name: &str) -> &str {
    name.match_indices(", ").nth(1).map_or(name, |(at, _)| &name[..at])
}
