//! Groups, two groups, leases: every scenario has the verdict that it deserves.

mod judge;

use judge::{judge, outcome};
use overtake_data_models::scenarios::{groups, groups_reading, groups_two, leases};
use overtake_models::manifest::{check_for_expected, expected_finding};
use overtake_models::replay::replay;
use overtake_models::search::{Limits, Stopped, breadth_first, depth_first};
use overtake_models::space::WorldSpace;
use overtake_models::{Expected, Options, Order, Verdict, check};
use overtake_sim::world::Reductions;

#[test]
fn groups_have_their_verdicts() {
    judge(&groups::scenarios());
}

#[test]
fn reading_groups_has_its_verdicts() {
    judge(&groups_reading::scenarios());
}

#[test]
fn two_groups_have_their_verdicts() {
    judge(&groups_two::scenarios());
}

#[test]
fn leases_have_their_verdicts() {
    judge(&leases::scenarios());
}

/// (clients, distinct states, generated with the initial state, depth): Spin, TLC, stateright and a hand-written search agree.
const PEERS: [(usize, usize, usize, usize); 4] =
    [(3, 150, 274, 10), (4, 1_409, 3_217, 13), (5, 16_528, 45_336, 16), (6, 232_629, 745_165, 19)];

#[test]
fn the_peers_group_has_the_peers_states() {
    for (clients, states, generated, depth) in PEERS {
        let scenario = groups::peer_group(clients, true);
        let world = scenario.world().unwrap();
        let space = WorldSpace::new(&world, Reductions::NONE, scenario.judged_by());
        let seen = breadth_first(&space, &Limits { threads: 1, ..Limits::default() });
        assert_eq!((world.error(), seen.stopped, seen.violated), (None, None, 0));
        // A depth of theirs counts states, ours counts levels too.
        assert_eq!((seen.states, seen.transitions + 1, seen.depth), (states, generated, depth), "{clients} clients");
    }
}

/// Classes under symmetry, up to eight clients (71,682,849 states without).
#[test]
fn symmetry_finds_the_classes_of_the_peers_group() {
    for (clients, classes) in [(3, 33), (4, 88), (5, 232), (6, 609), (7, 1_596), (8, 4_180)] {
        let (outcome, states) = outcome(&groups::peer_group(clients, true));
        assert_eq!((outcome, states), (Ok(Vec::new()), classes), "{clients} clients");
    }
}

/// Depth first the twin by plain SET is found at once, however many clients there are: no level has to be searched to its end.
#[test]
fn the_lost_update_is_found_at_once_for_every_number_of_clients() {
    for clients in 2..=8 {
        let scenario = groups::peer_group(clients, false);
        let world = scenario.world().unwrap();
        let space = WorldSpace::new(&world, Reductions::NONE, scenario.judged_by());
        let limits = Limits { threads: 1, every_property: false, ..Limits::default() };
        let seen = depth_first(&space, &limits);
        println!("{clients} clients: {} states", seen.states);
        assert_eq!(seen.stopped, Some(Stopped::Violation));
        assert!(seen.states < 1_000, "{clients} clients: {} states", seen.states);
    }
}

/// So it is when the search chooses: the probe and the bounded search for the shortest story come to less than 20,000 states, where six
/// clients breadth first need a million. With few clients the story is proved shortest. With more it is not, though it cannot be shorter:
/// each client takes three steps in any.
#[test]
fn the_search_that_chooses_finds_the_lost_update_for_every_number_of_clients() {
    for clients in 2..=8 {
        let scenario = groups::peer_group(clients, false);
        let limits = Limits { threads: 1, ..Limits::default() };
        let options = Options { reductions: Reductions::NONE, order: Order::Auto, limits };
        let checked = check(&scenario, &options).unwrap();
        let Verdict::Falsified(findings) = &checked.verdict else { panic!("{clients}: {:?}", checked.verdict) };
        let (seen, finding) = (&checked.seen, &findings[0]);
        println!("{clients} clients: {} + {} states, shortest: {}", seen.probed, seen.states, finding.shortest);
        assert!(seen.probed > 0 && seen.probed + seen.states < 20_000, "{clients} clients: {seen:?}");
        assert_eq!(finding.property, "every key is in the group");
        assert_eq!(finding.shortest, clients < 5, "{clients} clients");
        assert_eq!(finding.taken.len(), 3 * clients, "{clients} clients: {:?}", finding.trace.steps);
        // The story is one of this scenario, with all its clients.
        let again = replay(&scenario.world().unwrap(), &finding.trace.steps).unwrap();
        assert_eq!(again.len(), finding.taken.len());
    }
}

/// A probe is no part of a proof: the numbers of what holds are those of a search without one.
#[test]
fn a_probe_changes_nothing_where_nothing_breaks() {
    for clients in [3, 5] {
        let scenario = groups::peer_group(clients, true);
        let [seen, plain] = [Order::Auto, Order::BreadthFirst].map(|order| {
            let checked = check(&scenario, &Options { order, ..Options::default() }).unwrap();
            assert!(matches!(checked.verdict, Verdict::Proved), "{order:?}: {:?}", checked.verdict);
            checked.seen
        });
        assert_eq!((seen.states, seen.transitions, seen.depth), (plain.states, plain.transitions, plain.depth));
        assert_eq!((seen.probed, seen.stopped), (0, None));
    }
}

/// Where the shortest story is near it is told, the same as without a probe.
#[test]
fn what_is_near_is_told_by_its_shortest_story() {
    let broken = groups::scenarios().into_iter().filter(|scenario| *scenario.expected() != Expected::Proved);
    let mut near = 0;
    for scenario in broken {
        let [auto, plain] = [Order::Auto, Order::BreadthFirst].map(|order| {
            let limits = Limits { threads: 1, ..Limits::default() };
            check_for_expected(&scenario, &Options { order, limits, ..Options::default() }).unwrap()
        });
        let [auto, plain] = [&auto, &plain].map(|checked| expected_finding(&scenario, checked).expect("it breaks"));
        assert!(auto.taken.len() >= plain.taken.len() && plain.shortest, "{}", scenario.name());
        if auto.shortest {
            near += 1;
            assert_eq!(auto.trace, plain.trace, "{}", scenario.name());
        }
    }
    assert!(near > 5, "{near}");
}
