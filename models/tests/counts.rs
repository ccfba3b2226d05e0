//! Numbers of states are those of the space, not of a run: any thread count and any order of running gives the same.

use std::collections::HashSet;

use overtake_models::manifest::Manifest;
use overtake_models::search::Limits;
use overtake_models::{Expected, Options, Scenario, check, scenarios};

/// States above which a scenario is left out here.
const LARGE: usize = 20_000;

#[test]
fn counts_do_not_depend_on_threads_or_on_what_ran_before() {
    // Larger ones take long and say nothing that these do not.
    let large: HashSet<String> = match include_str!("../manifest.txt").parse::<Manifest>() {
        Ok(manifest) => {
            manifest.entries.into_iter().filter(|e| e.states.is_some_and(|n| n > LARGE)).map(|e| e.name).collect()
        }
        Err(malformed) => panic!("models/manifest.txt, {malformed}"),
    };
    let small = |s: &Scenario| *s.expected() == Expected::Proved && !large.contains(s.name());
    let proved: Vec<_> = scenarios::all().into_iter().filter(small).collect();
    assert!(proved.len() > 100, "only {} scenarios are small enough to count again", proved.len());
    let count = |at: usize, threads: usize| {
        let limits = Limits { threads, ..Limits::default() };
        let seen = check(&proved[at], &Options { limits, ..Options::default() }).unwrap().seen;
        (seen.states, seen.transitions, seen.depth)
    };
    let forward: Vec<_> = (0..proved.len()).map(|at| count(at, 1)).collect();
    for at in (0..proved.len()).rev() {
        for threads in [2, 3] {
            assert_eq!(count(at, threads), forward[at], "{}", proved[at].name());
        }
    }
}
