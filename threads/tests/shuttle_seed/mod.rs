//! The four notes of the seed, with its outcomes.

use overtake_threads::check::{Engine, NO_HANG, Verdict};
use overtake_threads::programs::seed;

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
