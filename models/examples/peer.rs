//! The peers' lock as a whole process, to be timed from outside: `peer CLIENTS EXPIRIES THREADS [bfs|dfs] [symmetry]`.

use overtake_models::scenarios::peers::{AS_PEERS, peer_lock};
use overtake_models::search::{Limits, breadth_first, depth_first};
use overtake_models::space::WorldSpace;
use overtake_sim::world::Reductions;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let number = |at: usize, default: usize| args.get(at).map_or(default, |a| a.parse().expect("a number"));
    let symmetric = args.iter().any(|a| a == "symmetry");
    let reductions = Reductions { symmetry: symmetric, deliver_first: symmetric, ..AS_PEERS };
    let scenario = peer_lock(number(1, 5), number(2, 1) as u8);
    let world = scenario.world().expect("a world");
    let limits = Limits { threads: number(3, 1), ..Limits::default() };
    let space = WorldSpace::new(&world, reductions, scenario.judged_by()).for_threads(limits.threads);
    let seen = match args.iter().any(|a| a == "dfs") {
        true => depth_first(&space, &limits),
        false => breadth_first(&space, &limits),
    };
    println!(
        "{} states, {} transitions, depth {}, {:.1} bytes a state, violated {:b}, {:?}",
        seen.states,
        seen.transitions,
        seen.depth,
        seen.bytes as f64 / seen.states as f64,
        seen.violated,
        seen.time
    );
}
