//! Each public report is found again, and its repair is proved; what is no bug is proved as it stands.

use std::collections::BTreeSet;

use overtake_threads::check::{Program, search_kept};
use overtake_threads::programs::controls;
use overtake_threads::programs::reports::all;

#[track_caller]
fn as_expected(programs: impl Iterator<Item = Program>) {
    let mut wrong = Vec::new();
    for program in programs {
        let outcome = search_kept(&program);
        println!("{}: {outcome} ({} decisions at most)", program.name(), outcome.longest);
        wrong.extend(outcome.as_expected(&program).err().map(|why| format!("{}: {why}", program.name())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_faulty_program_violates_what_its_report_names() {
    as_expected(all().into_iter().map(|pair| pair.faulty));
}

#[test]
fn each_repair_is_proved() {
    as_expected(all().into_iter().map(|pair| pair.repaired));
}

/// At least one report of each class that has one about threads.
#[test]
fn every_class_with_such_a_report_is_there() {
    let classes: BTreeSet<&str> = all().iter().map(|pair| pair.class).collect();
    let wanted = [
        "deadlock",
        "fencing missing",
        "lost wake-up/hang",
        "mutual exclusion broken",
        "orphan node/stuck lock",
        "ownership violation",
        "self-deadlock/reentrancy",
        "two holders after pause/expiry",
    ];
    assert_eq!(classes, BTreeSet::from(wanted));
    assert!(all().len() >= 25);
}

#[test]
fn what_is_no_bug_comes_out_clean() {
    as_expected(controls::all().into_iter().chain(controls::twins()));
}
