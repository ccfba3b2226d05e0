//! Numbers of states are those of the space, not of a run: any thread count and any order of running gives the same.

use overtake_models::search::Limits;
use overtake_models::{Expected, Options, check, scenarios};

#[test]
fn counts_do_not_depend_on_threads_or_on_what_ran_before() {
    let proved: Vec<_> = scenarios::all().into_iter().filter(|s| *s.expected() == Expected::Proved).collect();
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
