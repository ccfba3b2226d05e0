//! Bounds say what was looked at: a fault that a scenario counts among its bounds is one that can happen in it.
//!
//! "Proved with 2 key-expiries" says nothing where no key expires.

use std::collections::{BTreeSet, HashSet, VecDeque};

use overtake_models::Scenario;
use overtake_models::space::{Space, Worker, WorldSpace};
use overtake_sim::world::{Fault, Reductions};

/// States of a scenario after which what was not taken counts as never taken.
const MOST: usize = 200_000;

/// Its release goes on in the background: the program is not at rest while it carries the mark that the fault looks for. What is proved there is
/// that nothing goes wrong without it.
const NEVER_AT_REST: &str = "Rust client lock, release with the connection cut";

/// The faults in the budget of a scenario that are never taken, level by level through its space until all are.
fn never_taken(scenario: &Scenario) -> BTreeSet<Fault> {
    let budget = scenario.budget();
    let mut missing: BTreeSet<Fault> = budget.iter().filter(|(_, n)| *n > 0).map(|(fault, _)| fault).collect();
    if missing.is_empty() {
        return missing;
    }
    let world = scenario.world().unwrap();
    let space = WorldSpace::new(&world, Reductions::ALL, &[]);
    let mut worker = space.worker();
    let mut next: VecDeque<Vec<u32>> = worker.initial().into();
    let mut seen: HashSet<Vec<u32>> = next.iter().cloned().collect();
    while let Some(row) = next.pop_front() {
        worker.prepare(&row);
        worker.expand(&row, |step, _, state| {
            if !seen.insert(state.to_vec()) {
                return;
            }
            if step.is_fault() {
                let left = world.view(state).budget();
                missing.retain(|fault| left.get(*fault) == budget.get(*fault));
            }
            next.push_back(state.to_vec());
        });
        if missing.is_empty() || seen.len() > MOST {
            break;
        }
    }
    assert_eq!(world.error(), None, "{}", scenario.name());
    missing
}

/// A sentence for each scenario whose budget holds what cannot happen.
fn idle(scenarios: &[Scenario]) -> Vec<String> {
    let told = |scenario: &Scenario| {
        let missing = never_taken(scenario);
        let names: Vec<&str> = missing.iter().map(|fault| fault.name()).collect();
        (!names.is_empty()).then(|| format!("{}: never taken: {}", scenario.name(), names.join(", ")))
    };
    scenarios.iter().filter_map(told).collect()
}

#[test]
fn every_fault_in_the_bounds_of_a_scenario_on_data_can_happen() {
    let scenarios = overtake_data_models::all();
    let with_faults = scenarios.iter().filter(|scenario| scenario.budget().iter().any(|(_, n)| n > 0)).count();
    assert!(with_faults > 100, "only {with_faults} scenarios have faults");
    let idle = idle(&scenarios);
    assert!(idle.is_empty(), "{} scenarios:\n{}", idle.len(), idle.join("\n"));
}

#[test]
fn every_fault_in_the_bounds_of_a_scenario_on_zookeeper_can_happen() {
    let mut scenarios = [overtake_models::scenarios::all(), overtake_models::bugs::all()].concat();
    scenarios.retain(|scenario| scenario.name() != NEVER_AT_REST);
    let idle = idle(&scenarios);
    assert!(idle.is_empty(), "{} scenarios:\n{}", idle.len(), idle.join("\n"));
}

/// The test would notice: a key that does not expire cannot be the reason for anything.
#[test]
fn a_budget_that_nobody_can_spend_is_told() {
    let all = overtake_data_models::all();
    let plain = all.iter().find(|scenario| scenario.name() == "two groups, redo from the first").unwrap();
    assert_eq!(never_taken(&plain.clone().key_expiries(2).timeouts(1)), BTreeSet::from([Fault::KeyExpiry]));
}
