//! Exact costs of the two locks: requests and wake-ups for each acquisition.

use overtake_recipes::{Lock, ParentLock, PredecessorLock};
use overtake_sim::live::{End, Live, Observer, Timing};
use overtake_sim::program::{Context, Program};

use super::{rounds, setup};

/// Wake-ups after each release.
#[derive(Default)]
struct Herd {
    after_release: Vec<usize>,
}

impl Observer for Herd {
    fn woken(&mut self, _: u64, _: usize) {
        if let Some(last) = self.after_release.last_mut() {
            *last += 1;
        }
    }

    fn marked(&mut self, _: u64, _: usize, name: &'static str, set: bool) {
        if (name, set) == ("holds", false) {
            self.after_release.push(0);
        }
    }
}

/// Each of the clients locks once, while all others wait or are done. Wake-ups after each release, and requests.
fn once<L: Lock<Context> + 'static>(clients: usize) -> (Vec<usize>, u64) {
    let mut timing = Timing::wires(1_000_000);
    // So long that everybody has come to rest before the release.
    timing.work = "const:1s".parse().expect("a distribution");
    let programs = vec![Program::new("lock", |ctx| rounds::<L>(ctx, 1)); clients];
    let mut live = Live::new(setup(programs, timing, 1), Herd::default());
    assert_eq!(live.run(u64::MAX, |_| false), Ok(End::Rest));
    let stats = live.stats();
    (live.into_observer().after_release, stats.requests)
}

#[test]
fn a_release_wakes_all_waiters_of_the_parent_watching_lock() {
    for n in [1, 2, 3, 5, 8, 40] {
        let (woken, _) = once::<ParentLock<_>>(n);
        let expected: Vec<usize> = (0..n).map(|released| n - 1 - released).collect();
        assert_eq!(woken, expected);
    }
}

#[test]
fn a_release_wakes_one_waiter_of_the_predecessor_watching_lock() {
    for n in [1, 2, 3, 5, 8, 40] {
        let (woken, requests) = once::<PredecessorLock<_>>(n);
        let mut expected = vec![1; n];
        expected[n - 1] = 0;
        assert_eq!(woken, expected);
        // Everybody creates, lists and deletes; all but the first also watch and list again.
        assert_eq!(requests, 3 * n as u64 + 2 * (n as u64 - 1));
    }
}

#[test]
fn the_herd_exceeds_the_bound_that_the_predecessor_keeps() {
    let bound = |woken: &[usize]| woken.iter().all(|&n| n <= 1);
    assert!(bound(&once::<PredecessorLock<_>>(6).0));
    assert!(!bound(&once::<ParentLock<_>>(6).0));
}

#[test]
fn requests_of_the_parent_watching_lock_grow_with_the_square() {
    // All nodes are there before anybody lists; then each release makes every waiter list again.
    for n in [1u64, 2, 3, 5, 8, 40] {
        let (_, requests) = once::<ParentLock<_>>(n as usize);
        assert_eq!(requests, 3 * n + n * (n - 1) / 2);
    }
}
