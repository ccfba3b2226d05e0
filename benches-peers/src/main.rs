//! Round trips per CPU second: 5 clients, 1 server, 20,000 round trips each, 16 bytes, latency drawn from 1 to 10 ms.
//!
//! `cargo run --release` in this directory measures everything in one sitting, each run in a process of its own, three
//! times in turn; `cargo run --release -- NAME` is one run. The last lines compare. Where less than five times madsim is
//! reached with all of ZooKeeper behind the wires, the exit code is 1.

mod bare;
mod overtake;
mod peers;

use std::process::{Command, ExitCode};

use cpu_time::ProcessTime;
use overtake::Call;

const CLIENTS: usize = 5;
const RUNS: usize = 3;

/// Name, round trips of each client, and what runs.
type Workload = (&'static str, u64, fn(u64));

/// Programs that are much faster make more round trips, so that what is measured is long enough.
const WORKLOADS: [Workload; 10] = [
    ("bare queue", 400_000, |n| bare::plain(CLIENTS, n)),
    ("bare queue, allocating and logging", 400_000, |n| bare::logged(CLIENTS, n)),
    ("madsim endpoint", 20_000, |n| peers::madsim(CLIENTS, n)),
    ("turmoil UDP", 20_000, |n| peers::turmoil(CLIENTS, n)),
    ("overtake, no service: sync", 200_000, |n| overtake::echo(Call::Sync, CLIENTS, n)),
    ("overtake, no service: setData", 200_000, |n| overtake::echo(Call::Set, CLIENTS, n)),
    ("overtake, ZooKeeper: sync", 200_000, |n| overtake::zookeeper(Call::Sync, CLIENTS, n)),
    ("overtake, ZooKeeper: getData", 200_000, |n| overtake::zookeeper(Call::Get, CLIENTS, n)),
    ("overtake, ZooKeeper: setData", 200_000, |n| overtake::zookeeper(Call::Set, CLIENTS, n)),
    ("overtake, ZooKeeper: create, delete", 200_000, |n| overtake::zookeeper(Call::CreateDelete, CLIENTS, n)),
];

fn main() -> ExitCode {
    let Some(name) = std::env::args().nth(1) else { return compare() };
    let Some((_, round_trips, run)) = WORKLOADS.iter().find(|(known, ..)| *known == name) else {
        eprintln!("no workload is called {name:?}");
        return ExitCode::from(2);
    };
    let start = ProcessTime::now();
    run(*round_trips);
    println!("{:.0}", (CLIENTS as u64 * round_trips) as f64 / start.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}

/// The best of some runs of each, taken in turn, so that a busy moment of the machine hits all alike.
fn compare() -> ExitCode {
    let exe = std::env::current_exe().expect("the path of this program");
    let mut best = [0.0f64; WORKLOADS.len()];
    for _ in 0..RUNS {
        for (at, (name, ..)) in WORKLOADS.iter().enumerate() {
            let output = Command::new(&exe).arg(name).output().expect("a run");
            let text = String::from_utf8(output.stdout).expect("text");
            let rate = text.trim().parse().unwrap_or_else(|_| panic!("{name} failed: {text}"));
            best[at] = best[at].max(rate);
        }
    }
    let madsim = best[2];
    println!("{CLIENTS} clients, 1 server; best of {RUNS} runs\n");
    println!("{:<38} {:>16} {:>9}", "", "round trips/cpu-s", "x madsim");
    for ((name, ..), rate) in WORKLOADS.iter().zip(best) {
        println!("{name:<38} {:>13.2} M {:>9.1}", rate / 1e6, rate / madsim);
    }
    let slowest = best[6..].iter().copied().fold(f64::INFINITY, f64::min);
    println!("\nslowest with ZooKeeper: {:.1} x madsim (5 must be reached)", slowest / madsim);
    if slowest < 5.0 * madsim { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
