//! Each public report is found again, and its repair is proved; what is no bug is proved as it stands.

use std::collections::BTreeSet;

use overtake_threads::check::{Engine, Verdict};
use overtake_threads::programs::controls;
use overtake_threads::programs::reports::{Pair, all};

use crate::shuttle_common::*;

#[test]
fn each_faulty_program_violates_what_its_report_names() {
    for Pair { faulty, .. } in all() {
        let outcome = find(Engine::Systematic, &faulty, 200_000);
        let Verdict::Falsified(trace) = &outcome.verdict else { panic!("{}: {outcome}", faulty.name()) };
        assert_eq!(Some(trace.violates.as_str()), faulty.expected(), "{}: {outcome}", faulty.name());
    }
}

#[test]
fn each_repair_is_proved() {
    for Pair { repaired, .. } in all() {
        proved(Engine::Systematic, &repaired);
    }
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
    for program in controls::all() {
        proved(Engine::Systematic, &program);
    }
    for program in controls::twins() {
        let outcome = find(Engine::Systematic, &program, 200_000);
        let Verdict::Falsified(trace) = &outcome.verdict else { panic!("{}: {outcome}", program.name()) };
        assert_eq!(Some(trace.violates.as_str()), program.expected());
    }
}
