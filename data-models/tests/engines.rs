//! The searches themselves, on the scenarios on data: reductions change no verdict, threads change no count, and
//! stateright's own searches see the same spaces.

use std::ops::ControlFlow;

use overtake_models::explorer::ScenarioModel;
use overtake_models::search::{Limits, breadth_first};
use overtake_models::space::WorldSpace;
use overtake_models::{Expected, Options, Scenario, Verdict, check};
use overtake_sim::world::Reductions;
use stateright::{Checker, Model};

/// States, under all reductions, up to which the unreduced space is small enough here.
const SMALL: usize = 600;

fn limits() -> Limits {
    Limits { every_property: true, memory: 48 << 20, ..Limits::default() }
}

/// The verdict, the violated properties, the reached ones; `None` when the space is too large.
fn verdict(scenario: &Scenario, reductions: Reductions) -> Option<(&'static str, Vec<&'static str>, u64)> {
    let checked = check(scenario, &Options { reductions, limits: limits(), ..Options::default() }).unwrap();
    let mut violated: Vec<&'static str> = match &checked.verdict {
        Verdict::Held(_) => return None,
        Verdict::Falsified(findings) => findings.iter().map(|f| f.property).collect(),
        _ => Vec::new(),
    };
    violated.sort_unstable();
    Some((checked.verdict.word(), violated, checked.seen.reached))
}

/// Calls `judge` with every scenario whose space is small, until it has enough; answers how many it took.
fn each_small(expected: Option<Expected>, mut judge: impl FnMut(&Scenario) -> ControlFlow<()>) {
    let wanted = |s: &Scenario| expected.as_ref().is_none_or(|expected| s.expected() == expected);
    for scenario in overtake_data_models::all().into_iter().filter(wanted) {
        let all = check(&scenario, &Options { limits: limits(), ..Options::default() }).unwrap();
        if all.seen.states <= SMALL && !matches!(all.verdict, Verdict::Held(_)) && judge(&scenario).is_break() {
            return;
        }
    }
}

#[test]
fn each_reduction_keeps_every_verdict_and_every_violated_property() {
    let mut compared = 0;
    each_small(None, |scenario| {
        // A faulty program may have a space without end behind its first violation.
        let Some(plain) = verdict(scenario, Reductions::NONE) else { return ControlFlow::Continue(()) };
        for reductions in [
            Reductions::ALL,
            Reductions::EXACT,
            Reductions { symmetry: true, ..Reductions::NONE },
            Reductions { deliver_first: true, ..Reductions::NONE },
        ] {
            assert_eq!(verdict(scenario, reductions), Some(plain.clone()), "{} under {reductions:?}", scenario.name());
        }
        compared += 1;
        ControlFlow::Continue(())
    });
    assert!(compared > 100, "only {compared} scenarios were small enough to compare");
}

#[test]
fn counts_do_not_depend_on_threads() {
    let mut counted = 0;
    each_small(Some(Expected::Proved), |scenario| {
        let count = |threads| {
            let limits = Limits { threads, ..Limits::default() };
            let seen = check(scenario, &Options { limits, ..Options::default() }).unwrap().seen;
            (seen.states, seen.transitions, seen.depth)
        };
        assert_eq!(count(2), count(1), "{}", scenario.name());
        counted += 1;
        ControlFlow::Continue(())
    });
    assert!(counted > 60, "only {counted} scenarios are small enough to count again");
}

#[test]
fn stateright_sees_the_same_space() {
    let mut compared = 0;
    each_small(Some(Expected::Proved), |scenario| {
        let world = scenario.world().unwrap();
        let space = WorldSpace::new(&world, Reductions::NONE, scenario.judged_by());
        let seen = breadth_first(&space, &limits());
        if seen.stopped.is_some() || seen.states > 20_000 {
            return ControlFlow::Continue(());
        }
        let bfs = ScenarioModel::new(scenario).unwrap().checker().spawn_bfs().join();
        let theirs = (bfs.unique_state_count(), bfs.state_count());
        assert_eq!(theirs, (seen.states, seen.transitions + 1), "{}", scenario.name());
        compared += 1;
        if compared < 25 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert!(compared >= 20, "only {compared} scenarios are small enough");
}
