//! CPU seconds for all states of the group by compare-and-set with seven clients: Overtake, without reductions, beside stateright's
//! depth-first search of the same model, written as its examples are.
//!
//! `cargo run --release --bin group` in this directory measures everything in one sitting, each run in a process of its own, three
//! times in turn, on one thread each. Where a search has other than 3,819,826 states, or Overtake's (both of its orders) takes more
//! CPU than stateright's, the exit code is 1. `cargo run --release --bin group -- NAME` is one run.

mod peer;

use std::process::{Command, ExitCode};

use cpu_time::ProcessTime;
use overtake_data_models::scenarios::groups::peer_group;
use overtake_models::search::{Limits, breadth_first, depth_first};
use overtake_models::space::WorldSpace;
use overtake_sim::world::Reductions;

const CLIENTS: usize = 7;
/// On these Spin, TLC, stateright and a hand-written search agree.
const STATES: usize = 3_819_826;
const RUNS: usize = 3;

/// Name, and what searches and answers the number of states.
const SEARCHES: [(&str, fn() -> usize); 3] = [
    ("overtake, breadth first", || overtake(false)),
    ("overtake, depth first", || overtake(true)),
    ("stateright, depth first", || peer::states(CLIENTS as u8)),
];

/// All states, by the program that the scenario runs.
fn overtake(depth: bool) -> usize {
    let scenario = peer_group(CLIENTS, true);
    let world = scenario.world().expect("a world");
    let space = WorldSpace::new(&world, Reductions::NONE, scenario.judged_by());
    let limits = Limits { threads: 1, ..Limits::default() };
    let seen = if depth { depth_first(&space, &limits) } else { breadth_first(&space, &limits) };
    assert_eq!((seen.stopped, seen.violated), (None, 0), "all states, and nothing is violated");
    seen.states
}

fn main() -> ExitCode {
    let Some(name) = std::env::args().nth(1) else { return compare() };
    let Some((_, search)) = SEARCHES.iter().find(|(known, _)| *known == name) else {
        eprintln!("no search is called {name:?}");
        return ExitCode::from(2);
    };
    let start = ProcessTime::now();
    let states = search();
    println!("{states} {:.3}", start.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}

/// The best of some runs of each, taken in turn, so that a busy moment of the machine hits all alike.
fn compare() -> ExitCode {
    let exe = std::env::current_exe().expect("the path of this program");
    let (mut best, mut agree) = ([f64::INFINITY; SEARCHES.len()], true);
    for _ in 0..RUNS {
        for (at, (name, _)) in SEARCHES.iter().enumerate() {
            let output = Command::new(&exe).arg(name).output().expect("a run");
            let text = String::from_utf8(output.stdout).expect("text");
            let (states, seconds) = text.trim().split_once(' ').unwrap_or_else(|| panic!("{name} failed: {text}"));
            agree &= states.parse() == Ok(STATES);
            if states.parse() != Ok(STATES) {
                println!("{name}: {states} states, not {STATES}");
            }
            best[at] = best[at].min(seconds.parse().expect("seconds"));
        }
    }
    println!("{CLIENTS} clients, {STATES} states, one thread; best of {RUNS} runs\n");
    let stateright = best[2];
    for ((name, _), seconds) in SEARCHES.iter().zip(best) {
        println!("{name:<26} {seconds:>6.2} CPU seconds {:>6.2} x stateright", seconds / stateright);
    }
    let slowest = best[0].max(best[1]);
    println!("\nOvertake's slower search takes {:.2} of stateright's CPU (1 must not be passed)", slowest / stateright);
    if agree && slowest <= stateright { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
