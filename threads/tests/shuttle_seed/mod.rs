//! The four notes of the seed, with its outcomes.

use overtake_threads::check::{Engine, NO_HANG, NO_PANIC, Replayed, Verdict, program, replay, search_kept};
use overtake_threads::programs::seed;
use overtake_threads::sync::{Shuttle, Threads};

use super::shuttle_common::*;

/// In every schedule: an execution that comes to rest is the first one of each engine.
#[test]
fn two_instances_in_one_thread_block_for_ever() {
    let two = seed::two_instances();
    for engine in [Engine::Systematic, Engine::Dfs, Engine::Random { seed: 1 }] {
        let outcome = find(engine, &two, 1_000);
        let Verdict::Falsified(trace) = outcome.verdict else { panic!("{outcome}") };
        assert_eq!((outcome.executions, trace.violates.as_str()), (1, NO_HANG));
        assert_eq!(trace.because, "main waits for itself: main waits for /curator/lock/_c_<0>-lock-0, which main made");
    }
}

#[test]
fn another_instance_cannot_release() {
    proved(Engine::Systematic, &seed::another_instance());
}

#[test]
fn another_thread_cannot_release() {
    proved(Engine::Dfs, &seed::another_thread());
    proved(Engine::Systematic, &seed::another_thread());
}

#[test]
fn reentrant_with_as_many_releases() {
    proved(Engine::Systematic, &seed::reentrance());
}

#[test]
fn the_semaphore_mutex_is_released_by_any_thread_and_not_reentrant() {
    proved(Engine::Systematic, &seed::semaphore_from_another_thread());
    let outcome = find(Engine::Systematic, &seed::semaphore_twice(), 1_000);
    let Verdict::Falsified(trace) = outcome.verdict else { panic!("{outcome}") };
    assert_eq!(
        trace.because,
        "main waits for itself: main waits for a change below /curator/lock/leases, where main made \
         /curator/lock/leases/<1>-lease-0"
    );
}

#[test]
fn what_is_falsified_comes_with_its_story() {
    let trace = seed::two_instances().falsify(NO_HANG);
    assert_eq!(replay(&seed::two_instances(), &trace), Replayed::Violates);
}

#[test]
#[should_panic(expected = "violated: no wait without a wake-up")]
fn what_breaks_is_not_proved() {
    seed::two_instances().prove();
}

#[test]
#[should_panic(expected = "every schedule was tried, but never: the sky falls")]
fn what_never_happened_is_no_proof() {
    seed::reentrance().sometimes(&["the sky falls"]).prove();
}

#[test]
#[should_panic(expected = "was not seen to be violated")]
fn what_holds_is_not_falsified() {
    seed::reentrance().falsify(NO_HANG);
}

/// A trace is taken as it stands: a step too few or too many, the choice that its story ends with among them, is stale.
#[test]
fn a_story_with_a_step_too_few_or_too_many_is_stale() {
    let last = program("the last step is a choice", |stage| {
        let own = *stage;
        stage.thread("main", move || {
            let taken = Shuttle::choose(2);
            own.holds(taken == 1, "the second", || "it took the first".into());
        });
    });
    let outcome = search_kept(&last);
    let trace = outcome.trace().expect("the first choice breaks it");
    assert_eq!(replay(&last, trace), Replayed::Violates);
    assert_ne!(trace.violates, NO_PANIC);
    let mut few = trace.clone();
    assert_eq!(few.steps.pop().as_deref(), Some("main: takes 1 of 2"));
    assert!(matches!(replay(&last, &few), Replayed::Stale { .. }), "{few}");
    let mut many = trace.clone();
    many.steps.push("main: dances".into());
    let stale = Replayed::Stale { step: many.steps.len(), wanted: "main: dances".into(), possible: Vec::new() };
    assert_eq!(replay(&last, &many), stale);
}
