//! The peers' lock has the peers' states: Spin, TLC, stateright and a hand-written search agree on these numbers.

use overtake_models::scenarios::peers::{AS_PEERS, peer_lock};
use overtake_models::search::{Limits, Seen, breadth_first, depth_first};
use overtake_models::space::WorldSpace;
use overtake_sim::world::Reductions;

fn search(clients: usize, expiries: u8, reductions: Reductions, threads: usize) -> Seen {
    let scenario = peer_lock(clients, expiries);
    let world = scenario.world().unwrap();
    let space = WorldSpace::new(&world, reductions, scenario.judged_by()).for_threads(threads);
    let seen = breadth_first(&space, &Limits { threads, ..Limits::default() });
    assert_eq!(world.error(), None);
    assert_eq!((seen.stopped, seen.violated), (None, 0));
    seen
}

/// (clients, expiries, distinct, generated with the initial state, depth)
const COUNTS: [(usize, u8, usize, usize, usize); 9] = [
    (3, 0, 368, 787, 13),
    (3, 1, 1_535, 4_723, 13),
    (3, 2, 2_711, 10_285, 13),
    (4, 0, 4_488, 12_569, 17),
    (4, 1, 22_744, 87_665, 17),
    (4, 2, 46_222, 225_077, 17),
    (5, 0, 67_502, 233_991, 21),
    (5, 1, 402_087, 1_847_641, 21),
    (5, 2, 911_027, 5_341_861, 21),
];

#[test]
fn states_transitions_and_depth_are_those_of_the_peers() {
    for (clients, expiries, states, generated, depth) in COUNTS {
        for threads in [1, 2] {
            let seen = search(clients, expiries, AS_PEERS, threads);
            assert_eq!(
                (seen.states, seen.transitions + 1, seen.depth),
                (states, generated, depth),
                "{clients} clients, {expiries} expiries, {threads} threads"
            );
        }
    }
}

#[test]
fn depth_first_sees_the_same_states() {
    for (clients, expiries, states, generated, _) in &COUNTS[..6] {
        let scenario = peer_lock(*clients, *expiries);
        let world = scenario.world().unwrap();
        let space = WorldSpace::new(&world, AS_PEERS, scenario.judged_by());
        let seen = depth_first(&space, &Limits { threads: 2, ..Limits::default() });
        assert_eq!((seen.states, seen.transitions + 1), (*states, *generated));
    }
}

/// Exact classes under symmetry, as a canonical form by hand finds them.
#[test]
fn symmetry_finds_the_exact_classes() {
    let symmetric = Reductions { symmetry: true, ..AS_PEERS };
    for (clients, expiries, states) in [(6, 0, 1_994), (6, 1, 12_956), (6, 2, 33_351)] {
        assert_eq!(search(clients, expiries, symmetric, 2).states, states);
    }
}

/// Deliveries go first where no expiry can come between.
#[test]
fn all_reductions_together_keep_the_verdict_and_cut_the_space() {
    let all = Reductions { symmetry: true, deliver_first: true, ..AS_PEERS };
    for (expiries, states) in [(0, 1_815), (1, 9_296), (2, 25_173)] {
        assert_eq!(search(6, expiries, all, 2).states, states);
    }
}
