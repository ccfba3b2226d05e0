//! Findings become small and stay what they are.

use overtake_models::property::Property;
use overtake_models::replay::replay;
use overtake_models::sample::{Judge, RandomWalk, Sampler};
use overtake_models::scenario::{Scenario, scenario};
use overtake_models::search::Limits;
use overtake_models::shrink::{Shrunk, reason_kind, shrink};
use overtake_models::{Trace, scenarios};
use overtake_sim::clock::rng::Rng;
use overtake_sim::program::Context;
use overtake_sim::world::{Budget, Engine, Fault, Reductions, World};

fn named(name: &str) -> Scenario {
    scenarios::all().into_iter().find(|s| s.name() == name).unwrap_or_else(|| panic!("no scenario {name:?}"))
}

/// The trace of a violation that random walks run into.
fn by_chance(scenario: &Scenario) -> Trace {
    let world = scenario.world().unwrap();
    let mut engine = Engine::new(&world, Reductions::NONE);
    let mut judge = Judge::new(&mut engine, scenario.judged_by());
    let walk = RandomWalk { limit: 400 };
    for number in 0..20_000 {
        let run = walk.run(&mut engine, &mut judge, Rng::new(3).fork(number).next_u64());
        let Some(property) = run.violated else { continue };
        let mut state = engine.initial();
        let mut steps = Vec::new();
        for step in run.steps {
            steps.push(world.describe(&state, step));
            engine.take(&mut state, step);
        }
        let property = &scenario.judged_by()[property];
        let at_rest = engine.enabled(&state, &mut Vec::new()) == 0;
        return Trace {
            scenario: scenario.name().into(),
            clients: scenario.size(),
            faults: overtake_models::check::named_faults(scenario.budget()),
            violates: property.name.into(),
            because: property.violation(&world.view(&state), at_rest, 0).expect("violated"),
            steps,
            ..Trace::default()
        };
    }
    panic!("random walks find nothing in {:?}", scenario.name());
}

fn repair(scenario: &Scenario) -> Option<Scenario> {
    scenario.repair().map(named)
}

fn shrunk(scenario: &Scenario, trace: &Trace, memory: usize) -> Shrunk {
    let limits = Limits { threads: 1, memory, ..Limits::default() };
    shrink(scenario, repair(scenario).as_ref(), trace, &limits).unwrap_or_else(|why| panic!("{why}"))
}

fn still_violates(shrunk: &Shrunk, trace: &Trace) {
    let world: World = shrunk.scenario.world().unwrap();
    let taken = replay(&world, &shrunk.trace.all_steps()).expect("it replays");
    let property = shrunk.scenario.judged_by().iter().find(|p| p.name == trace.violates).unwrap();
    let because = overtake_models::replay::judge(&world, &taken, shrunk.cycle, property);
    assert_eq!(because.as_ref(), Some(&shrunk.trace.because));
    assert_eq!(reason_kind(&shrunk.trace.because), reason_kind(&trace.because));
    assert_eq!(shrunk.trace.violates, trace.violates);
    assert_eq!(shrunk.trace.to_string().parse(), Ok(shrunk.trace.clone()));
}

#[test]
fn more_faults_and_clients_than_needed_go() {
    let scenario = named("wake-up taken for my turn");
    let large = scenario.with_clients(4).with_budget(Budget::default().with(Fault::Expiry, 2));
    let trace = by_chance(&large);
    let shrunk = shrunk(&large, &trace, 1 << 30);
    still_violates(&shrunk, &trace);
    let proved: Vec<(&str, bool)> = shrunk.stages.iter().map(|stage| (stage.what, stage.proved)).collect();
    assert_eq!(proved, [("faults", true), ("clients", true), ("steps", true)], "{:?}", shrunk.stages);
    assert!(shrunk.trace.steps.len() <= trace.steps.len());
    // The same as the exhaustive search finds in the scenario as it is, where the violation is of the same kind.
    assert_eq!(shrunk.scenario.size(), 3, "{:#?}", shrunk.stages);
    assert_eq!(shrunk.scenario.budget(), Budget::default().with(Fault::Expiry, 1));
}

async fn comes(ctx: Context) {
    ctx.work("come").await;
    ctx.mark("there");
}

async fn may_stay_away(ctx: Context) {
    if ctx.choose(2).await == 0 {
        ctx.mark("there");
    }
}

/// Two are to be there at last, however many clients there are.
fn two_are_there() -> Property {
    Property::at_rest("two are there", "made up", |view| {
        match view.clients().filter(|c| c.is_marked("there")).count() {
            0 | 1 => Err("too few are there".into()),
            _ => Ok(()),
        }
    })
}

#[test]
fn clients_that_a_program_counts_on_stay() {
    let right = scenario("all come").clients(3, comes).property(two_are_there());
    let faulty = scenario("some come").clients(3, may_stay_away).property(two_are_there()).fixed_by("all come");
    let trace = by_chance(&faulty);
    let limits = Limits { threads: 1, ..Limits::default() };
    let two = shrink(&faulty, Some(&right), &trace, &limits).unwrap();
    still_violates(&two, &trace);
    assert_eq!(two.scenario.size(), 2, "{:#?}", two.stages);
    assert!(
        two.stages[1].because.contains("with 1 the repaired \"all come\" does not hold either"),
        "{:?}",
        two.stages
    );
    // Where no repaired program says so, one that waits for nobody will do.
    let one = shrink(&faulty, None, &trace, &limits).unwrap();
    assert_eq!(one.scenario.size(), 1, "{:#?}", one.stages);
}

#[test]
fn what_cannot_be_searched_is_shrunk_by_taking_the_steps_again() {
    let scenario = named("wake-up taken for my turn").with_clients(4).with_budget(Budget {
        expiries: 2,
        disconnects: 1,
        ..Budget::default()
    });
    let trace = by_chance(&scenario);
    // No memory for any search.
    let shrunk = shrunk(&scenario, &trace, 1);
    still_violates(&shrunk, &trace);
    assert!(shrunk.trace.steps.len() < trace.steps.len(), "{} of {}", shrunk.trace.steps.len(), trace.steps.len());
    assert!(shrunk.stages.iter().all(|stage| !stage.proved), "{:#?}", shrunk.stages);
    assert!(shrunk.stages.iter().any(|stage| stage.because.contains("out of memory")), "{:#?}", shrunk.stages);
}

#[test]
fn moments_stay_where_the_story_is_a_part_of_the_run() {
    let scenario = named("wake-up taken for my turn");
    let plain = by_chance(&scenario);
    let shortest = shrunk(&scenario, &plain, 1 << 30).trace;
    let bounded = scenario.clone().with_clients(shortest.clients);
    // A timed run that is the shortest already.
    let moments = (0..shortest.steps.len() as u64).map(|at| at * 1_700_000 + 7).collect();
    let timed = Trace { moments, ..shortest.clone() };
    let again = shrunk(&bounded, &timed, 1 << 30);
    still_violates(&again, &timed);
    if again.trace.steps == timed.steps {
        assert_eq!(again.trace.moments.len(), timed.steps.len());
        assert!(again.trace.moments.iter().all(|m| m % 1_000_000 == 0), "{:?}", again.trace.moments);
    } else {
        assert!(again.trace.moments.is_empty() || again.trace.moments.len() == again.trace.steps.len());
    }
    assert_eq!(again.stages.last().map(|stage| stage.what), Some("moments"));
}

#[test]
fn steps_that_violate_nothing_are_refused() {
    let scenario = named("wake-up taken for my turn");
    let trace = by_chance(&scenario);
    let limits = Limits { threads: 1, ..Limits::default() };
    let cut = Trace { steps: trace.steps[..3].to_vec(), ..trace.clone() };
    assert!(shrink(&scenario, None, &cut, &limits).unwrap_err().contains("nothing to shrink"));
    let stale = Trace { steps: vec!["client 9: flies".into()], ..trace };
    assert!(shrink(&scenario, None, &stale, &limits).unwrap_err().contains("step 1 cannot be taken"));
}
