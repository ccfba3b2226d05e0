//! The group by compare-and-set that other checkers were given too, at any size. Ends with exit code 1 where the number of states is not
//! the one on which Spin, TLC, stateright and a hand-written search agree.
//!
//! ```text
//! cargo run --release -p overtake-data-models --example peer_group -- 7            # 3,819,826 states, as in the others
//! cargo run --release -p overtake-data-models --example peer_group -- 7 depth      # the same, depth first
//! cargo run --release -p overtake-data-models --example peer_group -- 8 symmetric  # 4,180 classes of 71,682,849 states
//! cargo run --release -p overtake-data-models --example peer_group -- 8 depth set  # the lost update of its twin by plain SET
//! ```

use std::process::ExitCode;

use overtake_data_models::scenarios::groups::peer_group;
use overtake_models::search::{Limits, breadth_first, depth_first};
use overtake_models::space::WorldSpace;
use overtake_sim::world::Reductions;

/// By clients, from three: states, and classes under symmetry.
const PEERS: [(usize, usize); 6] =
    [(150, 33), (1_409, 88), (16_528, 232), (232_629, 609), (3_819_826, 1_596), (71_682_849, 4_180)];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let clients: usize =
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
    if says("set") {
        return if seen.violated == 0 { Err("no update is lost".into()) } else { Ok(()) };
    }
    if seen.violated != 0 {
        return Err("a property is violated".into());
    }
    let expected = clients.checked_sub(3).and_then(|at| PEERS.get(at));
    let expected = expected.map(|(states, classes)| if says("symmetric") { *classes } else { *states });
    match expected {
        Some(expected) if expected != seen.states => Err(format!("the others have {expected} states")),
        _ => Ok(()),
    }
}
