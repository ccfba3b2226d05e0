//! Runs the conformance cases of ZooKeeper, one by one, and pins down which numbers they cover.

mod conformance;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use conformance::language::{Case, read_folder};
use conformance::world;

fn cases() -> Vec<Case> {
    read_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance"))
}

/// The numbers of the conformance list that have a case. What is missing is listed, with reasons, in the
/// README of the folder.
const COVERED: &[(u32, u32)] = &[
    // Create and sequence, delete, versions, zxids.
    (1, 17),
    (19, 34),
    (36, 63),
    (65, 82),
    (84, 87),
    // Sessions.
    (91, 92),
    (94, 94),
    (97, 111),
    (115, 115),
    (122, 122),
    (130, 137),
];

/// A line by line difference, longest common subsequence first.
fn diff(expected: &[String], observed: &[String]) -> String {
    let (n, m) = (expected.len(), observed.len());
    let mut common = vec![vec![0; m + 1]; n + 1];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            common[i][j] = if expected[i] == observed[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut out) = (0, 0, String::new());
    while i < n || j < m {
        if i < n && j < m && expected[i] == observed[j] {
            writeln!(out, "      {}", expected[i]).unwrap();
            (i, j) = (i + 1, j + 1);
        } else if j == m || (i < n && common[i + 1][j] >= common[i][j + 1]) {
            writeln!(out, "    - {}", expected[i]).unwrap();
            i += 1;
        } else {
            writeln!(out, "    + {}", observed[j]).unwrap();
            j += 1;
        }
    }
    out
}

#[test]
fn every_case_is_observed_as_written() {
    let mut failures = String::new();
    for case in cases() {
        let observed = world::run(&case);
        if observed == case.expected {
            println!("{:6} {}", case.id, case.title);
        } else {
            let changes = diff(&case.expected, &observed);
            writeln!(failures, "  {} {} ({}); - expected, + observed:\n{changes}", case.id, case.title, case.place)
                .unwrap();
        }
    }
    assert!(failures.is_empty(), "cases that fail:\n{failures}");
}

#[test]
fn exactly_the_listed_numbers_are_covered() {
    let covered: BTreeSet<u32> = cases().iter().map(Case::number).collect();
    let listed: BTreeSet<u32> = COVERED.iter().flat_map(|(a, b)| *a..=*b).collect();
    let without_case: Vec<_> = listed.difference(&covered).collect();
    let not_listed: Vec<_> = covered.difference(&listed).collect();
    assert!(
        without_case.is_empty() && not_listed.is_empty(),
        "listed without a case: {without_case:?}; a case that is not listed: {not_listed:?}"
    );
}

#[test]
fn no_id_stands_for_two_cases_and_none_expects_nothing_by_oversight() {
    let mut seen = BTreeSet::new();
    for case in cases() {
        assert!(seen.insert(case.id.clone()), "{}: twice", case.id);
        assert!(!case.expected.is_empty(), "{} ({}): nothing is expected, so nothing is checked", case.id, case.place);
    }
}

/// The checks of this file must be able to fail.
#[test]
fn a_wrong_expectation_is_reported_with_its_line() {
    let expected = ["A: done", "B: (/p/k Deleted)"].map(str::to_owned);
    let observed = ["A: done", "B: (/p/k DataChanged)"].map(str::to_owned);
    assert_eq!(diff(&expected, &observed), "      A: done\n    - B: (/p/k Deleted)\n    + B: (/p/k DataChanged)\n");
}
