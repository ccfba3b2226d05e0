//! The small lock-free parts under loom: every order and every value that the memory model allows.

use overtake_threads::check::{MemoryLimits, MemoryProgram, MemoryVerdict, search_memory};
use overtake_threads::programs::memory::all;
use overtake_threads::sync::{Loom, Role, Threads};

#[test]
fn what_is_right_is_proved_and_each_twin_is_caught() {
    let mut wrong = Vec::new();
    for part in all() {
        let outcome = search_memory(&part.program, MemoryLimits::default());
        println!("{}: {outcome:?}", part.program.name());
        let as_expected = match outcome.verdict {
            MemoryVerdict::Proved => part.right,
            MemoryVerdict::Falsified(_) => !part.right,
            MemoryVerdict::Held(_) => false,
        };
        if !as_expected {
            wrong.push(format!("{}: {outcome:?}", part.program.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
        assert!(matches!(&cut.verdict, MemoryVerdict::Held(why) if why.contains("limit")), "{cut:?}");
        assert_eq!(cut.executions as usize, limit);
    }
    let limits = MemoryLimits { branches: 10, ..MemoryLimits::default() };
    let cut = search_memory(&many(), limits);
    assert!(matches!(&cut.verdict, MemoryVerdict::Held(why) if why.contains("cut off")), "{cut:?}");
    let limits = MemoryLimits { preemptions: Some(1), ..MemoryLimits::default() };
    let cut = search_memory(&many(), limits);
    assert!(matches!(&cut.verdict, MemoryVerdict::Held(why) if why.contains("preemptions")), "{cut:?}");
}
