//! Reductions change no verdict: every scenario small enough, with each of them on and off.

use overtake_models::manifest::Manifest;
use overtake_models::search::Limits;
use overtake_models::{Options, Verdict, check, scenarios};
use overtake_sim::world::Reductions;

/// States, under all reductions, up to which the unreduced space is small enough here.
const SMALL: usize = 1_500;

fn verdict(
    scenario: &overtake_models::Scenario,
    reductions: Reductions,
) -> Option<(&'static str, Vec<&'static str>, u64)> {
    let limits = Limits { every_property: true, memory: 48 << 20, ..Limits::default() };
    let checked = check(scenario, &Options { reductions, limits, ..Options::default() }).unwrap();
    if matches!(checked.verdict, Verdict::Held(_)) {
        return None;
    }
    let mut violated: Vec<&'static str> = match &checked.verdict {
        Verdict::Falsified(findings) => findings.iter().map(|f| f.property).collect(),
        _ => Vec::new(),
    };
    violated.sort_unstable();
    Some((checked.verdict.word(), violated, checked.seen.reached))
}

#[test]
fn each_reduction_keeps_every_verdict_and_every_violated_property() {
    let mut compared = 0;
    let manifest: Manifest = include_str!("../manifest.txt").parse().expect("models/manifest.txt");
    let large = |name: &str| manifest.entries.iter().any(|e| e.name == name && e.states.is_some_and(|n| n > SMALL));
    for scenario in scenarios::all().into_iter().filter(|s| !large(s.name())) {
        let limits = Limits { memory: 48 << 20, ..Limits::default() };
        let all = check(&scenario, &Options { limits, ..Options::default() }).unwrap();
        if all.seen.states > SMALL || matches!(all.verdict, Verdict::Held(_)) {
            continue;
        }
        // A faulty program may have a space without end behind its first violation.
        let Some(plain) = verdict(&scenario, Reductions::NONE) else { continue };
        for reductions in [
            Reductions::ALL,
            Reductions::EXACT,
            Reductions { renumber: true, ..Reductions::NONE },
            Reductions { symmetry: true, ..Reductions::NONE },
            Reductions { deliver_first: true, ..Reductions::NONE },
        ] {
            assert_eq!(verdict(&scenario, reductions), Some(plain.clone()), "{} under {reductions:?}", scenario.name());
        }
        compared += 1;
    }
    assert!(compared > 40, "only {compared} scenarios were small enough to compare");
}
