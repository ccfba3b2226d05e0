//! The matrix of lock implementations and faults, the client layer and the negative controls: every scenario has the
//! verdict that it deserves, and a proof has visited exactly the states it should.

use std::collections::BTreeMap;

use overtake_models::scenarios::{
    client_layer, lock_matrix, lock_matrix_extras, lock_matrix_worlds, negative_controls,
};
use overtake_models::*;
use overtake_sim::world::Reductions;

/// Name and number of states of each proof.
const COUNTS: &str = include_str!("lock_matrix_counts.txt");

/// The names of the violated properties, and the number of states.
fn outcome(scenario: &Scenario) -> (Result<Vec<&'static str>, String>, usize) {
    let checked = check(scenario, &Options::default()).unwrap();
    let states = checked.seen.states;
    let outcome = match checked.verdict {
        Verdict::Proved => Ok(Vec::new()),
        Verdict::Falsified(findings) => {
            if std::env::var("STORIES").is_ok() {
                for finding in &findings {
                    println!("{}: {}\n{}", finding.property, finding.because, finding.trace);
                }
            }
            Ok(findings.iter().map(|finding| finding.property).collect())
        }
        Verdict::Held(why) | Verdict::Broken(why) => Err(why),
    };
    (outcome, states)
}

fn counts() -> BTreeMap<&'static str, usize> {
    let row = |line: &'static str| {
        let (name, states) = line.rsplit_once('|').expect("name | states");
        (name.trim(), states.trim().parse().expect("a number of states"))
    };
    COUNTS.lines().map(row).collect()
}

fn judge(scenarios: Vec<Scenario>) {
    let (counts, only) = (counts(), std::env::var("OVERTAKE_ONLY").unwrap_or_default());
    let mut wrong = Vec::new();
    let picked: Vec<_> = scenarios.iter().filter(|s| s.name().contains(&only)).collect();
    assert!(!picked.is_empty(), "nothing is judged; OVERTAKE_ONLY is {only:?}");
    for scenario in picked {
        let (outcome, states) = outcome(scenario);
        let name = scenario.name();
        println!("{name} | {states} | {outcome:?}");
        match (scenario.expected(), &outcome) {
            (Expected::Proved, Ok(violated)) if violated.is_empty() => {
                if counts.get(name) != Some(&states) {
                    wrong.push(format!("{name}: {states} states, not {:?}", counts.get(name)));
                }
            }
            (Expected::Falsified(property), Ok(violated)) if violated.contains(property) => {}
            (expected, outcome) => wrong.push(format!("{name}: expected {expected:?}, got {outcome:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_field_of_the_matrix_has_its_verdict() {
    judge(lock_matrix::scenarios());
}

#[test]
fn what_does_not_fit_into_the_matrix_has_its_verdict() {
    judge(lock_matrix_extras::scenarios());
}

#[test]
fn lagging_servers_and_resources_tell_the_implementations_apart() {
    judge(lock_matrix_worlds::scenarios());
}

#[test]
fn the_client_layer_keeps_what_it_promises() {
    judge(client_layer::scenarios());
}

#[test]
fn what_is_no_bug_is_not_found_and_its_mutant_is() {
    judge(negative_controls::scenarios());
}

#[test]
fn faults_hit_only_those_who_carry_the_mark() {
    // Without reductions: some of them hold back where there are faults.
    let options = Options { reductions: Reductions::NONE, ..Options::default() };
    let states = |scenario: Scenario| check(&scenario, &options).unwrap().seen.states;
    let find = |name: &str| lock_matrix::scenarios().into_iter().find(|s| s.name() == name).unwrap();
    let nobody = find("predecessor watching, no faults").hit_while("a mark that nobody carries");
    let spared = states(nobody.clone());
    // With a budget that nobody can spend the space is the one without faults.
    assert_eq!(states(nobody.clone().expiries(1)), spared);
    assert_eq!(states(nobody.crashes(1)), spared);
    let holders = find("predecessor watching, no faults").hit_while("holds").expiries(1);
    let waiters = find("predecessor watching, no faults").hit_while("wants").expiries(1);
    let all = find("predecessor watching, no faults").expiries(1);
    let (holders, waiters, all) = (states(holders), states(waiters), states(all));
    assert!(spared < holders && holders < all && waiters < all, "{spared}, {holders}, {waiters}, {all}");
}
