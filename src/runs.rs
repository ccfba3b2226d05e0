//! Many scenarios at once: small ones one on each thread, a large one on all of them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use overtake_models::manifest::{Manifest, check_for_expected};
use overtake_models::search::Progress;
use overtake_models::{Checked, Expected, Options, Scenario};

/// Checks every scenario, on as many threads as the options say, and hands each outcome to `done` with the
/// scenario's place as soon as it is there. What a scenario took at the last count (its entry in `sizes`) decides how
/// it is run; a scenario without an entry counts as small. A scenario whose turn comes after `limits.stop` was raised
/// is not run, and `done` is not called for it.
pub fn check_all(
    scenarios: &[Scenario],
    options: &Options,
    sizes: &Manifest,
    started: &(dyn Fn(usize, &Arc<Progress>) + Sync),
    mut done: impl FnMut(usize, Result<Checked, String>),
) {
    let threads = options.limits.threads.max(1);
    let plan = Plan::new(scenarios, sizes, threads);
    let stopped = || options.limits.stop.load(Ordering::Relaxed);
    let run = |place: usize, share: usize| {
        let mut options = options.clone();
        options.limits.threads = share;
        options.limits.memory = options.limits.memory / threads * share;
        options.limits.progress = Arc::default();
        started(place, &options.limits.progress);
        check_for_expected(&scenarios[place], &options)
    };
    for &place in &plan.large {
        if !stopped() {
            done(place, run(place, threads));
        }
    }
    let next = AtomicUsize::new(0);
    let (report, outcomes) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(plan.small.len()) {
            let (report, next, small, run) = (report.clone(), &next, &plan.small, &run);
            scope.spawn(move || {
                while let Some(&place) = small.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if stopped() || report.send((place, run(place, 1))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(report);
        for (place, outcome) in outcomes {
            done(place, outcome);
        }
    });
}

/// Which scenarios are run on all threads, one after the other, and which on one thread each, the longest first.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    large: Vec<usize>,
    small: Vec<usize>,
}

impl Plan {
    fn new(scenarios: &[Scenario], sizes: &Manifest, threads: usize) -> Self {
        let size = |place: &usize| {
            let scenario = &scenarios[*place];
            let entry = sizes.get(scenario.name());
            match scenario.expected() {
                Expected::Proved => entry.and_then(|e| e.transitions).unwrap_or(0),
                Expected::Falsified(_) => 0,
            }
        };
        let mut small: Vec<usize> = (0..scenarios.len()).collect();
        small.sort_by_key(|place| std::cmp::Reverse(size(place)));
        let mut left: usize = small.iter().map(size).sum();
        // A scenario that would still run on its thread when the others are done is faster on all of them.
        let large = small
            .iter()
            .take_while(|place| {
                let alone = threads > 1 && size(place) * threads > left.max(1);
                left -= size(place);
                alone
            })
            .count();
        let rest = small.split_off(large);
        Self { large: small, small: rest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use overtake_models::scenario;

    #[test]
    fn a_scenario_larger_than_its_share_gets_all_threads() {
        let scenarios: Vec<Scenario> = ["a", "b", "c", "d"].map(scenario).into();
        let text = "b | | proved | 1 | 1000 | 1\nc | | proved | 1 | 10 | 1\nd | | proved | 1 | 10 | 1\n";
        let sizes: Manifest = text.parse().unwrap();
        let plan = Plan::new(&scenarios, &sizes, 2);
        assert_eq!((plan.large, plan.small), (vec![1], vec![2, 3, 0]));
        let plan = Plan::new(&scenarios, &sizes, 1);
        assert_eq!(plan.large, Vec::<usize>::new());
    }
}
