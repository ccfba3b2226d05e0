//! Sampled runs: the seed decides them, they are runs of the world, and they find what is known to be wrong.

use overtake_models::replay::{judge, replay};
use overtake_models::sample::{Ended, Judge, Pct, RandomWalk, SampledRun, Sampler};
use overtake_models::scenario::Scenario;
use overtake_models::{Expected, scenarios};
use overtake_sim::clock::rng::Rng;
use overtake_sim::world::{Engine, Reductions, World};

const LIMIT: usize = 400;

fn named(name: &str) -> Scenario {
    scenarios::all().into_iter().find(|s| s.name() == name).unwrap_or_else(|| panic!("no scenario {name:?}"))
}

fn samplers(world: &World) -> [Box<dyn Sampler>; 2] {
    [Box::new(RandomWalk { limit: LIMIT }), Box::new(Pct::new(world, 3, LIMIT, 1))]
}

fn runs(scenario: &Scenario, world: &World, sampler: &dyn Sampler, numbers: std::ops::Range<u64>) -> Vec<SampledRun> {
    let mut engine = Engine::new(world, Reductions::NONE);
    let mut judge = Judge::new(&mut engine, scenario.judged_by());
    numbers.map(|number| sampler.run(&mut engine, &mut judge, Rng::new(1).fork(number).next_u64())).collect()
}

/// The names of the steps, taken one by one.
fn texts(world: &World, run: &SampledRun) -> Vec<String> {
    let mut engine = Engine::new(world, Reductions::NONE);
    let mut state = engine.initial();
    let text = |step| {
        let text = world.describe(&state, step);
        let mut to = None;
        engine.successors(&state, |_, facts, next| {
            if facts.step == step {
                to = Some(next.to_vec());
            }
        });
        state = to.expect("an enabled step");
        text
    };
    run.steps.iter().copied().map(text).collect()
}

#[test]
fn the_seed_alone_decides_a_run() {
    let scenario = named("predecessor lock, 1 expiry");
    let (one, other) = (scenario.world().unwrap(), scenario.world().unwrap());
    for (a, b) in samplers(&one).iter().zip(samplers(&other)) {
        assert_eq!(a.parameters(), b.parameters());
        let all = runs(&scenario, &one, a.as_ref(), 0..200);
        // Another world that has met nothing yet, and a judge that has seen other runs.
        let late = runs(&scenario, &other, b.as_ref(), 150..200);
        assert_eq!(all[150..], late, "{}", a.name());
        let mut distinct: Vec<_> = all.iter().map(|run| &run.steps).collect();
        distinct.sort();
        distinct.dedup();
        assert!(distinct.len() > 150, "{}: {} distinct runs of 200", a.name(), distinct.len());
    }
}

#[test]
fn what_violates_replays_and_violates() {
    let mut found = 0;
    for scenario in scenarios::all() {
        let Expected::Falsified(_) = scenario.expected() else { continue };
        let world = scenario.world().unwrap();
        for sampler in samplers(&world) {
            let runs = runs(&scenario, &world, sampler.as_ref(), 0..100);
            let Some(run) = runs.iter().find(|run| run.violated.is_some()) else { continue };
            let property = &scenario.judged_by()[run.violated.unwrap()];
            let taken = replay(&world, &texts(&world, run)).expect("a run of the world");
            let because = judge(&world, &taken, 0, property);
            assert!(because.is_some(), "{}, {}: {:?}", scenario.name(), sampler.name(), property.name);
            assert_eq!(run.ended, Ended::Violation);
            found += 1;
        }
    }
    assert!(found > 60, "only {found} violations were found");
}

#[test]
fn what_holds_is_not_violated() {
    for name in ["predecessor lock, 1 expiry", "predecessor lock, 1 disconnect"] {
        let scenario = named(name);
        let world = scenario.world().unwrap();
        for sampler in samplers(&world) {
            let runs = runs(&scenario, &world, sampler.as_ref(), 0..2_000);
            assert!(runs.iter().all(|run| run.violated.is_none()), "{name}, {}", sampler.name());
            assert!(runs.iter().any(|run| run.ended == Ended::AtRest), "{name}, {}", sampler.name());
        }
    }
}

/// A lock whose waiter takes any wake-up for its turn needs one expiry at the right moment.
#[test]
fn both_find_the_known_fault() {
    let scenario = named("wake-up taken for my turn");
    let world = scenario.world().unwrap();
    for sampler in samplers(&world) {
        let runs = runs(&scenario, &world, sampler.as_ref(), 0..2_000);
        let violating = runs.iter().filter(|run| run.violated.is_some()).count();
        assert!(violating > 0, "{} finds nothing", sampler.name());
    }
}

#[test]
fn the_bound_of_pct_is_that_of_the_paper() {
    let scenario = named("predecessor lock, 1 expiry");
    let world = scenario.world().unwrap();
    let (one, two, three) =
        (1..=3).map(|d| Pct::new(&world, d, LIMIT, 1).bound()).fold((0.0, 0.0, 0.0), |b, next| (b.1, b.2, next));
    // Four processes a client.
    assert!((one - 1.0 / (4.0 * world.setup().clients.len() as f64)).abs() < 1e-12);
    assert!((two / one - three / two).abs() < 1e-12, "each depth costs the same factor");
}
