//! The peers' lock: programs in a general world, beside a hand-written search and beside stateright, in one run.
//!
//! `cargo bench -p overtake-models` prints the times; quote their ratios.

#![allow(missing_docs, reason = "criterion's macro makes a function without")]

mod packed;

use criterion::{Criterion, criterion_group, criterion_main};
use overtake_models::scenarios::peers::{AS_PEERS, peer_lock};
use overtake_models::search::{Limits, breadth_first, depth_first};
use overtake_models::space::WorldSpace;
use overtake_models::{Options, check, scenarios};
use stateright::{Checker, Model, Property};

/// The hand-written model under stateright's checkers, so that only the engine differs.
struct Packed(packed::Lock);

impl Model for Packed {
    type State = packed::State;
    type Action = u32;

    fn init_states(&self) -> Vec<packed::State> {
        vec![0]
    }

    fn actions(&self, state: &packed::State, actions: &mut Vec<u32>) {
        let mut count = 0;
        self.0.successors(*state, |_| count += 1);
        actions.extend(0..count);
    }

    fn next_state(&self, state: &packed::State, action: u32) -> Option<packed::State> {
        let (mut at, mut found) = (0, None);
        self.0.successors(*state, |next| {
            if at == action {
                found = Some(next);
            }
            at += 1;
        });
        found
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("at most one live holder", |model: &Packed, state| model.0.is_safe(*state))]
    }
}

fn programs(clients: usize, expiries: u8, threads: usize, depth: bool) -> usize {
    let scenario = peer_lock(clients, expiries);
    let world = scenario.world().expect("a world");
    let space = WorldSpace::new(&world, AS_PEERS, scenario.judged_by()).for_threads(threads);
    let limits = Limits { threads, ..Limits::default() };
    let seen = if depth { depth_first(&space, &limits) } else { breadth_first(&space, &limits) };
    seen.states
}

fn peers(c: &mut Criterion) {
    let states = 402_087;
    let lock = packed::Lock { clients: 5, expiries: 1 };
    let mut group = c.benchmark_group("peers' lock, 5 clients, 1 expiry");
    group.sample_size(10);
    group.bench_function("programs, breadth first", |b| b.iter(|| assert_eq!(programs(5, 1, 1, false), states)));
    group.bench_function("programs, breadth first, 2 threads", |b| {
        b.iter(|| assert_eq!(programs(5, 1, 2, false), states));
    });
    group.bench_function("programs, depth first", |b| b.iter(|| assert_eq!(programs(5, 1, 1, true), states)));
    group.bench_function("hand-written", |b| b.iter(|| assert_eq!(packed::search(lock).0, states)));
    group.bench_function("stateright depth first on the hand-written model", |b| {
        b.iter(|| assert_eq!(Packed(lock).checker().spawn_dfs().join().unique_state_count(), states));
    });
    group.finish();
}

fn first_counterexamples(c: &mut Criterion) {
    let broken: Vec<_> = scenarios::faulty_locks::scenarios();
    c.bench_function("every spoilt lock caught, with its shortest story", |b| {
        b.iter(|| {
            for scenario in broken.iter().filter(|s| *s.expected() != overtake_models::Expected::Proved) {
                let checked = check(scenario, &Options::default()).expect("a world");
                assert_eq!(checked.verdict.word(), "falsified");
            }
        });
    });
}

criterion_group!(benches, peers, first_counterexamples);
criterion_main!(benches);
