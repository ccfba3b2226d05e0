//! The small parts that threads share under loom: every order, and every value that the memory model allows. And which of
//! them the searches over schedules see as well.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use overtake_threads::check::{
    Engine, Judge, Limits, MemoryLimits, MemoryProgram, MemoryVerdict, NO_HANG, NO_PANIC, Replayed, Trace, Verdict,
    replay, search, search_memory,
};
use overtake_threads::programs::memory::{Caught, all};
use overtake_threads::sync::{Loom, Role, Threads};

/// loom is deterministic: so many executions, until everything was tried or the mistake was found. Another number means
/// that the program, the part or loom is another; look which before you write it down.
const EXECUTIONS: &[(&str, u64)] = &[
    ("wake-up cell: one event", 3),
    ("wake-up cell, checked then parked", 1),
    ("wake-up cell, notes last", 3),
    ("wake-up cell: an event and an interrupt", 384),
    ("wake-up cell, relaxed", 8),
    ("wake-up cell, cleared late", 5),
    ("a future on the cell", 12),
    ("an interrupt at any moment", 51),
    ("owner table: two owners", 13902),
    ("owner table, copied and put back", 352),
    ("re-entrance, counted together in two steps", 10),
    ("owner table: from one thread to the next", 415),
    ("owner table, one slot", 55),
    ("owner table: another thread looks", 17),
    ("owner table, a relaxed short cut", 9),
    ("re-entrance: others look on", 11130),
    ("re-entrance, counted without a name", 4),
    ("closed flag: a late callback", 45),
    ("closed flag, relaxed", 7),
    ("closed flag, checked first", 1),
    ("session: published before it is read", 22),
    ("session, published relaxed", 9),
];

#[test]
fn what_is_right_is_proved_and_each_twin_is_caught() {
    let mut wrong = Vec::new();
    let mut pinned: BTreeMap<&str, u64> = EXECUTIONS.iter().copied().collect();
    for part in all() {
        let name = part.program.name();
        let outcome = search_memory(&part.program, MemoryLimits::default());
        println!("    ({name:?}, {}),", outcome.executions);
        match &outcome.verdict {
            MemoryVerdict::Proved if part.right => {}
            MemoryVerdict::Falsified(trace) if trace.violates == part.violates => tells(trace),
            _ => wrong.push(format!("{name}: {outcome:?}")),
        }
        if pinned.remove(name) != Some(outcome.executions) {
            wrong.push(format!("{name}: {} executions are not what is written down", outcome.executions));
        }
    }
    wrong.extend(pinned.keys().map(|name| format!("{name}: written down, but there is none")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A finding comes as a trace that can be written and read, and says that nobody can take it again.
fn tells(trace: &Trace) {
    println!("{trace}");
    assert!(trace.found_by.starts_with("loom, execution ") && trace.found_by.ends_with("loom takes no schedule"));
    assert!(trace.steps.len() > 3, "{trace}");
    let read: Trace = trace.to_string().parse().expect("it is well formed");
    assert_eq!(&read, trace);
}

/// The same bodies under the searches over schedules: every order, each taken as sequentially consistent.
#[test]
fn schedules_show_what_is_wrong_by_the_order_of_events_and_nothing_else() {
    for part in all() {
        let name = part.program.name();
        let outcome = search(Engine::Systematic, &part.schedules, Limits::default());
        println!("{name}: {outcome}");
        match (part.caught, &outcome.verdict) {
            (Caught::ByAll, Verdict::Falsified(trace)) => {
                assert_eq!(trace.violates, part.violates, "{name}");
                assert_eq!(replay(&part.schedules, trace), Replayed::Violates, "{trace}");
            }
            // Whatever else is tried, this is no mistake in the order of events.
            (Caught::Never | Caught::ByLoom, Verdict::Proved) => {}
            _ => panic!("{name}: {outcome:?}"),
        }
        if part.caught == Caught::ByAll {
            let limits = Limits { executions: 10_000, ..Limits::default() };
            let sampled = search(Engine::Random { seed: 1 }, &part.schedules, limits);
            assert_eq!(sampled.trace().map(|trace| trace.violates.as_str()), Some(part.violates), "{name}: {sampled}");
        }
    }
}

/// Two threads that write in turn: some dozen executions.
fn many() -> MemoryProgram {
    MemoryProgram::new("many", || {
        let word = std::sync::Arc::new(Loom::mutex("word", 0));
        let threads = [1, 2].map(|_| {
            let word = word.clone();
            Loom::spawn(Role::Program, "adds".into(), move || {
                *Loom::lock(&word) += 1;
                *Loom::lock(&word) += 1;
            })
        });
        threads.into_iter().for_each(Loom::join);
        assert_eq!(*Loom::lock(&word), 4);
    })
}

fn held(verdict: &MemoryVerdict, why: &str) -> bool {
    matches!(verdict, MemoryVerdict::Held(said) if said.contains(why))
}

#[test]
fn a_run_that_is_cut_off_is_no_proof() {
    let whole = search_memory(&many(), MemoryLimits::default());
    assert_eq!(whole.verdict, MemoryVerdict::Proved);
    let executions = whole.executions as usize;
    assert!(executions > 10, "{executions}");
    // loom itself ends these normally, all of them.
    for limit in [1, 3, executions - 1] {
        let limits = MemoryLimits { executions: limit, ..MemoryLimits::default() };
        let cut = search_memory(&many(), limits);
        assert!(held(&cut.verdict, "limit"), "{cut:?}");
        assert_eq!(cut.executions as usize, limit);
    }
    let limits = MemoryLimits { branches: 10, ..MemoryLimits::default() };
    let cut = search_memory(&many(), limits);
    assert!(held(&cut.verdict, "cut off"), "{cut:?}");
    for most in [0, 1, 2] {
        let limits = MemoryLimits { preemptions: Some(most), ..MemoryLimits::default() };
        let cut = search_memory(&many(), limits);
        assert!(held(&cut.verdict, "preemptions"), "{cut:?}");
    }
}

#[test]
fn a_run_whose_time_is_up_is_no_proof() {
    let limits = MemoryLimits { time: Some(Duration::ZERO), ..MemoryLimits::default() };
    let cut = search_memory(&many(), limits);
    assert!(held(&cut.verdict, "the time was up after 0 executions"), "{cut:?}");
    // Time that is not up changes nothing.
    let limits = MemoryLimits { time: Some(Duration::from_secs(100_000)), ..MemoryLimits::default() };
    assert_eq!(search_memory(&many(), limits), search_memory(&many(), MemoryLimits::default()));
}

#[test]
fn what_never_happens_is_no_proof() {
    let program = many().sometimes(&["a third thread adds"]);
    let outcome = search_memory(&program, MemoryLimits::default());
    assert!(held(&outcome.verdict, "never: a third thread adds"), "{outcome:?}");
    let program = MemoryProgram::new("one", || Judge::Loom.reached("it runs")).sometimes(&["it runs"]);
    assert_eq!(search_memory(&program, MemoryLimits::default()).verdict, MemoryVerdict::Proved);
}

#[test]
fn what_loom_cannot_run_is_no_finding() {
    let program = MemoryProgram::new("six threads", || {
        for number in 1..=5 {
            drop(Loom::spawn(Role::Program, format!("thread {number}"), || {}));
        }
    });
    let outcome = search_memory(&program, MemoryLimits::default());
    let said = |why: &str| why.contains("five threads");
    assert!(matches!(&outcome.verdict, MemoryVerdict::Broken(why) if said(why)), "{outcome:?}");
    // A program that does another thing each time cannot be told.
    let times = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let program = MemoryProgram::new("not twice", move || {
        let time = times.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        assert!(time > 0, "only the first time");
    });
    let outcome = search_memory(&program, MemoryLimits::default());
    let said = |why: &str| why.contains("not deterministic");
    assert!(matches!(&outcome.verdict, MemoryVerdict::Broken(why) if said(why)), "{outcome:?}");
}

#[test]
fn panics_and_hangs_are_findings_with_names() {
    let program = MemoryProgram::new("panics", || panic!("it is wrong"));
    let MemoryVerdict::Falsified(trace) = search_memory(&program, MemoryLimits::default()).verdict else {
        panic!("a panic is a finding");
    };
    assert_eq!((trace.violates.as_str(), trace.because.as_str()), (NO_PANIC, "it is wrong"));
    let program = MemoryProgram::new("hangs", || {
        drop(Loom::spawn(Role::Program, "sleeper".into(), Loom::park));
    });
    let MemoryVerdict::Falsified(trace) = search_memory(&program, MemoryLimits::default()).verdict else {
        panic!("a hang is a finding");
    };
    let because = "nothing can happen any more, and sleeper has not ended";
    assert_eq!((trace.violates.as_str(), trace.because.as_str()), (NO_HANG, because));
    assert_eq!(trace.steps, ["first thread: starts sleeper", "sleeper: is about to park"]);
}

/// Runs a test of this file again with variables of the environment.
fn again(test: &str, variables: &[(&str, &str)]) -> (bool, String) {
    let own = std::env::current_exe().expect("a test runs from a file");
    let child = Command::new(own).args(["--exact", test, "--nocapture"]).envs(variables.iter().copied()).output();
    let child = child.expect("it runs again");
    (child.status.success(), String::from_utf8_lossy(&child.stdout).into_owned())
}

/// A user's bounds would end loom early, and normally. They are not heeded: the numbers are the same.
#[test]
fn bounds_of_the_environment_are_not_heeded() {
    let bounds = [
        ("LOOM_MAX_PERMUTATIONS", "1"),
        ("LOOM_MAX_DURATION", "0"),
        ("LOOM_MAX_BRANCHES", "2"),
        ("LOOM_MAX_PREEMPTIONS", "0"),
        ("LOOM_CHECKPOINT_INTERVAL", "1"),
        ("LOOM_CHECKPOINT_FILE", "nowhere"),
    ];
    let (passed, said) = again("the_verdict_on_many", &bounds);
    let whole = search_memory(&many(), MemoryLimits::default());
    assert_eq!(whole.verdict, MemoryVerdict::Proved);
    assert!(passed && said.contains(&format!("verdict: {whole:?}")), "{said}");
}

#[test]
fn the_verdict_on_many() {
    println!("verdict: {:?}", search_memory(&many(), MemoryLimits::default()));
}

#[test]
fn a_bound_of_the_environment_that_makes_no_sense_is_no_finding() {
    let (passed, said) = again("the_verdict_on_many", &[("LOOM_MAX_BRANCHES", "many")]);
    assert!(passed && said.contains("Broken(\"a variable of the environment"), "{said}");
}
