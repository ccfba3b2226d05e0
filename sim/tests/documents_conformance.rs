//! Runs the conformance cases of the document store, one by one, and pins down which numbers they cover.

#[path = "documents_conformance/json.rs"]
mod json;
#[path = "documents_conformance/language.rs"]
mod language;
#[path = "documents_conformance/world.rs"]
mod world;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use language::{Case, read_folder};

fn cases() -> Vec<Case> {
    read_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/documents_conformance"))
}

/// The numbers of the conformance list that have a case. What is missing is listed, with reasons, in the README of the folder.
const COVERED: &[(u32, u32)] = &[(2, 7), (9, 14), (16, 21), (23, 28), (30, 35), (37, 37)];

/// Numbers that the list leaves out.
const LEFT_OUT: &[u32] = &[8, 15, 22, 29, 36];

#[test]
fn every_case_is_observed_as_written() {
    let mut failures = String::new();
    for case in cases() {
        let observed = world::run(&case);
        if observed != case.expected {
            let (expected, observed) = (case.expected.join("\n      "), observed.join("\n      "));
            let Case { id, title, place, .. } = case;
            writeln!(
                failures,
                "  {id} {title} ({place})\n    expected\n      {expected}\n    observed\n      {observed}"
            )
            .unwrap();
        }
    }
    assert!(failures.is_empty(), "cases that fail:\n{failures}");
}

#[test]
fn exactly_the_listed_numbers_are_covered() {
    let covered: BTreeSet<u32> = cases().iter().filter_map(Case::number).collect();
    let listed: BTreeSet<u32> = COVERED.iter().flat_map(|(a, b)| *a..=*b).collect();
    assert_eq!(covered, listed);
    assert!(LEFT_OUT.iter().all(|number| !listed.contains(number)));
}

#[test]
fn no_id_stands_for_two_cases_and_none_expects_nothing_by_oversight() {
    let mut seen = BTreeSet::new();
    for case in cases() {
        assert!(seen.insert(case.id.clone()), "{}: twice", case.id);
        assert!(!case.expected.is_empty(), "{} ({}): nothing is expected, so nothing is checked", case.id, case.place);
    }
}
