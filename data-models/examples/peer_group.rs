//! The group by compare-and-set that other checkers were given too, at any size.
//!
//! ```text
//! cargo run --release -p overtake-data-models --example peer_group -- 7            # 3,819,826 states, as in the others
//! cargo run --release -p overtake-data-models --example peer_group -- 7 depth      # the same, depth first
//! cargo run --release -p overtake-data-models --example peer_group -- 8 symmetric  # 4,180 classes of 71,682,849 states
//! cargo run --release -p overtake-data-models --example peer_group -- 8 depth set  # the lost update of its twin by plain SET
//! ```

use overtake_data_models::scenarios::groups::peer_group;
use overtake_models::search::{Limits, breadth_first, depth_first};
use overtake_models::space::WorldSpace;
use overtake_sim::world::Reductions;

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let clients =
        arguments.next().unwrap_or("6".into()).parse().map_err(|_| "the first argument is a number of clients")?;
    let words: Vec<String> = arguments.collect();
    let says = |word: &str| words.iter().any(|w| w == word);
    let reductions = if says("symmetric") { Reductions::ALL } else { Reductions::NONE };
    let scenario = peer_group(clients, !says("set"));
    let world = scenario.world()?;
    let space = WorldSpace::new(&world, reductions, scenario.judged_by());
    let limits = Limits { threads: 1, ..Limits::default() };
    let seen = if says("depth") { depth_first(&space, &limits) } else { breadth_first(&space, &limits) };
    println!(
        "{clients} clients: {} states, {} transitions, depth {}, {} violations, {:.2} s on one thread",
        seen.states,
        seen.transitions,
        seen.depth,
        seen.violated.count_ones(),
        seen.time.as_secs_f64(),
    );
    Ok(())
}
