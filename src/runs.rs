//! Many scenarios at once, one on each thread.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use overtake_models::manifest::{Manifest, check_for_expected};
use overtake_models::search::Progress;
use overtake_models::{Checked, Options, Scenario};

use crate::guard::guarded;

/// Checks every scenario, so many at a time as the options have threads, and hands each outcome to `done` with the
/// scenario's place as soon as it is there. Those that took longest at the last count (their entries in `sizes`) come
/// first, so that no thread is left alone with one at the end. A scenario whose turn comes after `limits.stop` was
/// raised is not run, and `done` is not called for it.
///
/// Each scenario has one thread: many of them are done soonest so, and a search that ends with a violation has then
/// seen the same states in every run.
pub fn check_all(
    scenarios: &[Scenario],
    options: &Options,
    sizes: &Manifest,
    started: &(dyn Fn(usize, &Arc<Progress>) + Sync),
    mut done: impl FnMut(usize, Result<Checked, String>),
) {
    let threads = options.limits.threads.max(1);
    let order = longest_first(scenarios, sizes);
    let run = |place: usize| {
        let mut options = options.clone();
        options.limits.threads = 1;
        options.limits.memory /= threads;
        options.limits.progress = Arc::default();
        started(place, &options.limits.progress);
        guarded(|| check_for_expected(&scenarios[place], &options))
    };
    let next = AtomicUsize::new(0);
    let (report, outcomes) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(order.len()) {
            let (report, next, order, run) = (report.clone(), &next, &order, &run);
            scope.spawn(move || {
                while let Some(&place) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let stopped = options.limits.stop.load(Ordering::Relaxed);
                    if stopped || report.send((place, run(place))).is_err() {
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

/// The places of the scenarios; of those that take as long, the first in the registry comes first.
fn longest_first(scenarios: &[Scenario], sizes: &Manifest) -> Vec<usize> {
    let size = |place: &usize| sizes.get(scenarios[*place].name()).and_then(|entry| entry.transitions);
    let mut order: Vec<usize> = (0..scenarios.len()).collect();
    order.sort_by_cached_key(|place| std::cmp::Reverse(size(place)));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use overtake_models::scenario;

    #[test]
    fn what_took_longest_comes_first() {
        let scenarios: Vec<Scenario> = ["a", "b", "c", "d"].map(scenario).into();
        let text = "b | | proved | 1 | 10 | 1\nc | | falsified: x | - | - | 1\nd | | proved | 1 | 1000 | 1\n";
        let sizes: Manifest = text.parse().unwrap();
        assert_eq!(longest_first(&scenarios, &sizes), [3, 1, 0, 2]);
    }
}
