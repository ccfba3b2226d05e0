//! Wake-ups per release as exact maxima over all states: 1 with predecessor watching, everybody with parent watching.

use overtake_models::property::{everybody_is_done, no_wait_without_wake_up};
use overtake_models::scenarios::programs::{LOCK, once};
use overtake_models::{Options, Scenario, Verdict, check, scenario};
use overtake_recipes::lock::faulty::WatchesLowest;
use overtake_recipes::{ParentLock, PredecessorLock};

/// The most watch events that one step of the whole space sends.
fn most_wake_ups(scenario: Scenario) -> usize {
    let scenario = scenario.node(LOCK).property(no_wait_without_wake_up()).property(everybody_is_done());
    let checked = check(&scenario, &Options::default()).unwrap();
    assert!(matches!(checked.verdict, Verdict::Proved), "{:?}", checked.verdict);
    usize::from(checked.seen.notified)
}

#[test]
fn a_release_wakes_one_with_predecessor_watching() {
    for clients in 2..=5 {
        assert_eq!(most_wake_ups(scenario("predecessor").clients(clients, once::<PredecessorLock<_>>)), 1);
    }
}

#[test]
fn a_release_wakes_every_waiter_with_parent_watching() {
    for clients in 2..=5 {
        assert_eq!(most_wake_ups(scenario("parent").clients(clients, once::<ParentLock<_>>)), clients - 1);
        assert_eq!(most_wake_ups(scenario("lowest").clients(clients, once::<WatchesLowest<_>>)), clients - 1);
    }
}
