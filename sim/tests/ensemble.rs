//! Runs the conformance cases of several servers, one by one, and pins down which numbers they cover.

#[path = "conformance/language.rs"]
mod language;
#[path = "conformance/request.rs"]
#[allow(dead_code, reason = "the single server's cases show more")]
mod request;
#[path = "ensemble/servers.rs"]
mod servers;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use language::{Case, read_folder};

fn cases() -> Vec<Case> {
    read_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ensemble/cases"))
}

/// The numbers of the conformance list that have a case with several servers; 120 is a restart of one.
const COVERED: &[(u32, u32)] = &[(98, 99), (102, 102), (105, 105), (112, 116), (118, 120), (132, 142)];

/// A case's failure as a text, `None` when it is observed as written.
fn failure(case: &Case) -> Option<String> {
    let observed = servers::run(case);
    (observed != case.expected).then(|| {
        let mut text = format!("  {} {} ({})\n", case.id, case.title, case.place);
        for (name, lines) in [("expected", &case.expected), ("observed", &observed)] {
            writeln!(text, "    {name}:").unwrap();
            lines.iter().for_each(|line| writeln!(text, "      {line}").unwrap());
        }
        text
    })
}

#[test]
fn every_case_is_observed_as_written() {
    let failures: Vec<String> = cases().iter().filter_map(failure).collect();
    assert!(failures.is_empty(), "cases that fail:\n{}", failures.concat());
}

#[test]
fn exactly_the_listed_numbers_are_covered() {
    let covered: BTreeSet<u32> = cases().iter().map(Case::number).collect();
    let listed: BTreeSet<u32> = COVERED.iter().flat_map(|(a, b)| *a..=*b).collect();
    assert_eq!(covered, listed);
}

#[test]
fn no_id_stands_for_two_cases_and_none_expects_nothing_by_oversight() {
    let mut seen = BTreeSet::new();
    for case in cases() {
        assert!(seen.insert(case.id.clone()), "{}: twice", case.id);
        assert!(!case.expected.is_empty(), "{} ({}): nothing is expected, so nothing is checked", case.id, case.place);
    }
}

/// The checks of this file must be able to fail: every case does, once any of its observations is left out or changed.
#[test]
fn a_wrong_expectation_is_noticed_in_every_case() {
    for mut case in cases() {
        for at in 0..case.expected.len() {
            let line = std::mem::replace(&mut case.expected[at], "nothing".into());
            assert!(failure(&case).is_some_and(|text| text.contains(&line)), "{}: line {at}", case.id);
            case.expected[at] = line;
        }
    }
}
