//! The recipes under faults at any moment. The twins are found by the systematic search; of the programs themselves schedules
//! are sampled, so nothing is proved of them here.

use overtake_threads::check::{Engine, Verdict};
use overtake_threads::programs::faults;

use crate::shuttle_common::*;

#[test]
fn each_spoilt_twin_is_caught() {
    let twins = || faults::all().into_iter().filter(|program| program.expected().is_some());
    for twin in twins() {
        let outcome = find(Engine::Systematic, &twin, 20_000);
        assert_eq!(outcome.as_expected(&twin), Ok(()));
        assert!(matches!(outcome.verdict, Verdict::Falsified(_)));
    }
    assert_eq!(twins().count(), 12);
}

#[test]
fn nothing_is_found_in_the_recipes_themselves() {
    for program in faults::all().into_iter().filter(|program| program.expected().is_none()) {
        sampled(Engine::Pct { depth: 3, seed: 1 }, &program, 500);
    }
}
