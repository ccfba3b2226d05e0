//! Fault frontiers of locks that are known.

use overtake_models::frontier::{Breaking, Frontier, frontier};
use overtake_models::property;
use overtake_models::scenario::Scenario;
use overtake_models::scenarios;
use overtake_models::search::Limits;
use overtake_sim::world::Budget;

fn named(name: &str) -> Scenario {
    scenarios::all().into_iter().find(|s| s.name() == name).unwrap_or_else(|| panic!("no scenario {name:?}"))
}

const BOX: Budget = Budget { expiries: 1, disconnects: 1, crashes: 1, ..NONE };
const NONE: Budget = Budget::NONE;

#[test]
fn the_lock_that_takes_any_wake_up_breaks_by_one_fault() {
    let mut asked = Vec::new();
    let scenario = named("wake-up taken for my turn");
    let found = frontier(&scenario, BOX, 2, &Limits::default(), |budget| asked.push(budget)).unwrap();
    assert_eq!(found.searches, asked.len());
    assert!(found.undecided.is_empty());
    let expiry = Budget { expiries: 1, ..Budget::default() };
    let at_fault = found.breaking.iter().find(|breaking| breaking.budget == expiry).expect("one expiry breaks it");
    assert_eq!(at_fault.violated, ["grants in order of creation"]);
    // Nothing that breaks it is searched again with more.
    assert!(!asked.contains(&Budget { disconnects: 1, ..expiry }));
    for Breaking { budget, .. } in &found.breaking {
        for other in found.breaking.iter().filter(|other| other.budget != *budget) {
            let smaller = budget.iter().all(|(fault, n)| n <= other.budget.get(fault));
            assert!(!smaller, "{budget:?} makes {:?} not minimal", other.budget);
        }
    }
    assert_eq!(found.surviving, [Budget { disconnects: 1, ..NONE }]);
}

#[test]
fn a_right_lock_survives_the_box() {
    let scenario = named("predecessor lock, 1 expiry").with_clients(2);
    let bounds = Budget { expiries: 2, ..Budget::default() };
    let found = frontier(&scenario, bounds, 2, &Limits::default(), |_| {}).unwrap();
    assert_eq!(found.breaking, []);
    assert_eq!(found.surviving, [bounds]);
    assert_eq!(found.searches, 3);
}

#[test]
fn where_nothing_happens_nothing_is_survived() {
    let scenario = named("predecessor lock, 1 expiry").with_clients(2);
    let scenario = scenario.property(property::Property::sometimes("pigs fly", |_| false));
    let bounds = Budget { expiries: 1, ..Budget::default() };
    let found = frontier(&scenario, bounds, 1, &Limits::default(), |_| {}).unwrap();
    assert_eq!((found.breaking.len(), found.surviving.len(), found.undecided.len()), (0, 0, 0));
    assert_eq!(found.idle, [(bounds, vec!["pigs fly"])]);
}

#[test]
fn what_is_not_decided_is_said_beside_its_neighbours() {
    let (one, two) = (Budget { expiries: 1, ..NONE }, Budget { expiries: 1, disconnects: 1, ..NONE });
    let found = Frontier { undecided: vec![(one, "out of memory".into())], ..Frontier::default() };
    assert!(found.smaller_undecided(two) && !found.larger_undecided(two));
    assert!(found.larger_undecided(NONE) && !found.smaller_undecided(NONE));
    assert!(!found.smaller_undecided(one) && !found.larger_undecided(one));
}

#[test]
fn what_is_cut_off_is_not_survived() {
    let scenario = named("predecessor lock, 1 expiry");
    let limits = Limits { memory: 1, ..Limits::default() };
    let found = frontier(&scenario, BOX, 1, &limits, |_| {}).unwrap();
    assert_eq!((found.breaking.len(), found.surviving.len()), (0, 0));
    assert_eq!(found.undecided.len(), 4);
}
