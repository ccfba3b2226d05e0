//! What recording costs: executions a second of CPU time, bare and through the door, alternating in one process.
//!
//! `cargo run --release -p overtake-threads --features check --example speed`. Bare is shuttle's runner and loom's builder with
//! the same tiny test on their own types, nothing recorded. Ours is a search: the schedule of the execution is kept, threads
//! and operations are known by name, and the verdict says what it is worth. Ends with 1 where ours comes to less than 0.8
//! of bare.

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::Instant;

use overtake_threads::check::{
    Engine, Limits, MemoryLimits, MemoryProgram, Program, Verdict, program, search, search_memory,
};
use overtake_threads::sync::{Loom, Role, Shuttle, Threads};
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, Runner};

/// Of each, bare and ours.
const ROUNDS: usize = 9;
/// Executions in a round of shuttle's.
const EXECUTIONS: u64 = 20_000;
/// Whole searches in a round of loom's.
const SEARCHES: usize = 20;
/// Ours has to come to this much of bare.
const LEAST: f64 = 0.8;

/// CPU time of the calling thread in nanoseconds; where the system does not tell, time that passes.
fn cpu(began: Instant) -> u64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let own = told.and_then(|text| text.split_whitespace().next().and_then(|word| word.parse().ok()));
    own.unwrap_or_else(|| began.elapsed().as_nanos() as u64)
}

/// Executions a second of CPU time.
fn rate(began: Instant, run: impl FnOnce() -> u64) -> f64 {
    let before = cpu(began);
    let executions = run();
    executions as f64 * 1e9 / (cpu(began) - before).max(1) as f64
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Alternates the two, prints what they come to, and answers whether that is enough.
fn compare(name: &str, bare: impl Fn(u64) -> u64, ours: impl Fn(u64) -> u64) -> bool {
    let began = Instant::now();
    // The first round of each warms up.
    let rounds: Vec<(f64, f64)> =
        (0..=ROUNDS as u64).map(|seed| (rate(began, || bare(seed)), rate(began, || ours(seed)))).skip(1).collect();
    let ratio = median(rounds.iter().map(|(bare, ours)| ours / bare).collect());
    let bare = median(rounds.iter().map(|(bare, _)| *bare).collect());
    let ours = median(rounds.iter().map(|(_, ours)| *ours).collect());
    println!("{name:<36} {bare:>12.0} {ours:>12.0} {ratio:>8.2}");
    ratio >= LEAST
}

/// Three threads that each lock and count twice, on shuttle's own types.
fn bare_counter() {
    let counter = Arc::new(shuttle::sync::Mutex::new(0));
    let threads = [1, 2, 3].map(|_| {
        let counter = counter.clone();
        shuttle::thread::spawn(move || {
            for _ in 0..2 {
                *counter.lock().expect("nobody panics") += 1;
            }
        })
    });
    for thread in threads {
        thread.join().expect("nobody panics");
    }
    assert_eq!(*counter.lock().expect("nobody panics"), 6);
}

/// The same through the door.
fn counter() -> Program {
    program("3x2 counter", |stage| {
        let counter = Arc::new(Shuttle::mutex("counter", 0));
        let threads = [1, 2, 3].map(|_| {
            let counter = counter.clone();
            stage.thread("adds", move || {
                for _ in 0..2 {
                    *Shuttle::lock(&counter) += 1;
                }
            })
        });
        threads.into_iter().for_each(Shuttle::join);
        assert_eq!(*Shuttle::lock(&counter), 6);
    })
}

/// A message is handed over by a flag, on shuttle's own types.
fn bare_message() {
    use shuttle::sync::atomic::{AtomicBool, AtomicUsize};
    let shared = Arc::new((AtomicUsize::new(0), AtomicBool::new(false)));
    let threads = [1, 2].map(|number| {
        let shared = shared.clone();
        shuttle::thread::spawn(move || {
            shared.0.fetch_add(number, Relaxed);
            shared.1.swap(true, Release);
        })
    });
    if shared.1.load(Acquire) {
        assert!(shared.0.load(Relaxed) > 0);
    }
    for thread in threads {
        thread.join().expect("nobody panics");
    }
}

/// The same through the door.
fn message() -> Program {
    program("message", |stage| {
        let shared = Arc::new((Shuttle::word("message", 0), Shuttle::flag("sign", false)));
        let threads = [1, 2].map(|number| {
            let shared = shared.clone();
            stage.thread("sends", move || {
                Shuttle::fetch_add(&shared.0, number, Relaxed);
                Shuttle::swap_flag(&shared.1, true, Release);
            })
        });
        if Shuttle::is_set(&shared.1, Acquire) {
            assert!(Shuttle::load(&shared.0, Relaxed) > 0);
        }
        threads.into_iter().for_each(Shuttle::join);
    })
}

fn bare_runs(scheduler: impl Scheduler + 'static, test: fn()) -> u64 {
    let mut config = Config::new();
    config.silence_warnings = true;
    Runner::new(scheduler, config).run(test) as u64
}

fn our_runs(engine: Engine, program: &Program) -> u64 {
    let outcome = search(engine, program, Limits { executions: EXECUTIONS, ..Limits::default() });
    assert!(matches!(outcome.verdict, Verdict::Held(_)), "{outcome}");
    outcome.executions
}

/// Three threads that each lock and count twice, on loom's own types. (Nobody is joined: loom's join prints.)
fn bare_loom_counter() {
    let counter = Arc::new(loom::sync::Mutex::new(0));
    for _ in 0..3 {
        let counter = counter.clone();
        loom::thread::spawn(move || {
            for _ in 0..2 {
                let mut counter = counter.lock().expect("nobody panics");
                *counter += 1;
                assert!(*counter <= 6);
            }
        });
    }
}

fn loom_counter() {
    let counter = Arc::new(Loom::mutex("counter", 0));
    for _ in 0..3 {
        let counter = counter.clone();
        Loom::spawn(Role::Program, "adds".into(), move || {
            for _ in 0..2 {
                let mut counter = Loom::lock(&counter);
                *counter += 1;
                assert!(*counter <= 6);
            }
        });
    }
}

/// The wake-up cell with two who post, on loom's own types.
fn bare_loom_cell() {
    use loom::sync::atomic::{AtomicBool, AtomicUsize};
    let shared = Arc::new((AtomicUsize::new(0), AtomicBool::new(false), loom::thread::current()));
    for note in [1, 2] {
        let shared = shared.clone();
        loom::thread::spawn(move || {
            shared.0.fetch_or(note, Relaxed);
            if !shared.1.swap(true, Release) {
                shared.2.unpark();
            }
        });
    }
    loop {
        while !shared.1.swap(false, Acquire) {
            loom::thread::park();
        }
        if shared.0.load(Relaxed) == 3 {
            break;
        }
    }
}

fn loom_cell() {
    let cell = Arc::new(overtake_threads::wake::WakeCell::<Loom>::new());
    for note in [1, 2] {
        let cell = cell.clone();
        Loom::spawn(Role::Program, "posts".into(), move || cell.post(note));
    }
    while cell.wait() != 3 {}
}

fn bare_loom(test: fn()) -> u64 {
    let count = Arc::new(std::sync::atomic::AtomicU64::new(0));
    for _ in 0..SEARCHES {
        let count = count.clone();
        let mut builder = loom::model::Builder::new();
        builder.max_branches = MemoryLimits::default().branches;
        builder.check(move || {
            count.fetch_add(1, Relaxed);
            test();
        });
    }
    count.load(Relaxed)
}

fn our_loom(program: &MemoryProgram) -> u64 {
    let search = |_| {
        let outcome = search_memory(program, MemoryLimits::default());
        assert_eq!(outcome.verdict, Verdict::Proved);
        outcome.executions
    };
    black_box(0..SEARCHES).map(search).sum()
}

fn main() -> ExitCode {
    println!("{:<36} {:>12} {:>12} {:>8}", "executions per CPU second", "bare", "ours", "ratio");
    let most = EXECUTIONS as usize;
    let mut enough = true;
    for (name, bare, ours) in [("3x2 counter", bare_counter as fn(), counter()), ("message", bare_message, message())] {
        enough &= compare(
            &format!("shuttle random, {name}"),
            |seed| bare_runs(RandomScheduler::new_from_seed(seed, most), bare),
            |seed| our_runs(Engine::Random { seed }, &ours),
        );
        enough &= compare(
            &format!("shuttle PCT of depth 3, {name}"),
            |seed| bare_runs(PctScheduler::new_from_seed(seed, 3, most), bare),
            |seed| our_runs(Engine::Pct { depth: 3, seed }, &ours),
        );
    }
    for (name, bare, ours) in
        [("3x2 counter", bare_loom_counter as fn(), loom_counter as fn()), ("wake-up cell", bare_loom_cell, loom_cell)]
    {
        let ours = MemoryProgram::new(name, ours);
        enough &= compare(&format!("loom, {name}"), |_| bare_loom(bare), |_| our_loom(&ours));
    }
    match enough {
        true => ExitCode::SUCCESS,
        false => {
            println!("at least one ratio is below {LEAST}");
            ExitCode::FAILURE
        }
    }
}
