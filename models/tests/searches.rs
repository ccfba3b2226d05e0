//! The searches on spaces that go wrong: a panic, a cut, a ceiling.

use std::time::Duration;

use overtake_models::search::{Limits, Stopped, breadth_first, depth_first, probe};
use overtake_models::space::{Expanded, Space, Worker};

/// Counts up for ever; panics at a number.
struct Numbers {
    panics_at: u32,
}

struct Counter(u32);

impl Space for Numbers {
    type Step = ();
    type Worker<'a> = Counter;

    fn width(&self) -> usize {
        1
    }

    fn worker(&self) -> Counter {
        Counter(self.panics_at)
    }

    fn properties(&self) -> usize {
        0
    }

    fn error(&self) -> Option<String> {
        None
    }
}

impl Worker for Counter {
    type Step = ();

    fn initial(&mut self) -> Vec<Vec<u32>> {
        vec![vec![0]]
    }

    fn expand(&mut self, row: &[u32], mut emit: impl FnMut((), u8, &[u32])) -> Expanded {
        assert_ne!(row[0], self.0, "as planned");
        for next in [row[0].wrapping_mul(2) + 1, row[0].wrapping_mul(2) + 2] {
            emit((), 0, &[next & 0x00FF_FFFF]);
        }
        Expanded::default()
    }

    fn bytes(&self) -> usize {
        0
    }
}

fn limits(threads: usize) -> Limits {
    Limits { threads, ..Limits::default() }
}

#[test]
fn a_panic_comes_out_and_leaves_nobody_waiting() {
    for threads in [1, 2] {
        for search in [breadth_first::<Numbers>, depth_first::<Numbers>] {
            let searched = std::panic::catch_unwind(|| search(&Numbers { panics_at: 5_000 }, &limits(threads)));
            assert!(searched.is_err());
        }
    }
}

#[test]
fn a_panic_of_a_program_always_counts() {
    use overtake_models::property::{everybody_is_done, no_wait_without_wake_up};
    use overtake_models::{Options, Verdict, check, scenario};
    use overtake_sim::program::Context;
    let panics = scenario("panics")
        .clients(1, |ctx: Context| async move { assert!(ctx.choose(2).await == 0, "as planned") })
        .property(no_wait_without_wake_up())
        .property(everybody_is_done());
    let checked = check(&panics, &Options::default()).unwrap();
    let Verdict::Falsified(findings) = &checked.verdict else { panic!("{:?}", checked.verdict) };
    assert_eq!(findings[0].property, "no program panics");
}

#[test]
fn a_ceiling_ends_in_an_honest_stop() {
    let small = Limits { memory: 1 << 20, ..limits(2) };
    let short = Limits { time: Some(Duration::ZERO), ..limits(2) };
    let stopped = limits(1);
    stopped.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let few = Limits { states: Some(10_000), ..limits(2) };
    let cases =
        [(small, Stopped::Memory), (short, Stopped::Time), (few, Stopped::States), (stopped, Stopped::Interrupted)];
    for (limits, why) in cases {
        for search in [breadth_first::<Numbers>, depth_first::<Numbers>] {
            let seen = search(&Numbers { panics_at: u32::MAX }, &limits);
            assert_eq!(seen.stopped, Some(why));
            assert!(seen.states < 1 << 24);
        }
    }
}

/// A chain of so many states, the last of which violates the only property.
struct Chain(u32);

impl Space for Chain {
    type Step = u32;
    type Worker<'a> = Link;

    fn width(&self) -> usize {
        1
    }

    fn worker(&self) -> Link {
        Link(self.0)
    }

    fn properties(&self) -> usize {
        1
    }

    fn error(&self) -> Option<String> {
        None
    }
}

struct Link(u32);

impl Worker for Link {
    type Step = u32;

    fn initial(&mut self) -> Vec<Vec<u32>> {
        vec![vec![0]]
    }

    fn expand(&mut self, row: &[u32], mut emit: impl FnMut(u32, u8, &[u32])) -> Expanded {
        if row[0] < self.0 {
            emit(row[0], 0, &[row[0] + 1]);
        }
        Expanded { violated: u64::from(row[0] == self.0), reached: 0 }
    }

    fn bytes(&self) -> usize {
        0
    }
}

#[test]
fn a_probe_goes_as_deep_and_as_far_as_it_may() {
    let few = |states| Limits { states: Some(states), ..limits(1) };
    let found = probe(&Chain(50), 1, 50, &few(100)).expect("it is there");
    assert_eq!((found.property, found.states, found.path.steps.len()), (0, 51, 50));
    assert!(found.path.steps.iter().copied().eq(0..50));
    assert!(probe(&Chain(50), 1, 49, &few(100)).is_none(), "too deep");
    assert!(probe(&Chain(50), 1, 50, &few(50)).is_none(), "too many states");
    assert!(probe(&Chain(50), 2, 50, &few(100)).is_none(), "another property is wanted");
}
