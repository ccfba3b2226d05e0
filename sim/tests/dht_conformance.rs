//! Runs the conformance cases of the hash table, one by one, and pins down which numbers they cover.

#[path = "conformance/language.rs"]
mod language;
#[path = "dht/table.rs"]
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use language::{Case, read_folder};
use overtake_sim::names::{Text, who};
use overtake_sim::stores::dht::{Inner, Request, Response, Ring, ring};
use overtake_sim::stores::{Dht, Served, Service};

fn cases() -> Vec<Case> {
    read_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dht/cases"))
}

/// The numbers of the conformance list that have a case. What is missing is listed, with reasons, in the README of the folder.
const COVERED: &[(u32, u32)] =
    &[(1, 6), (8, 17), (19, 24), (26, 33), (35, 35), (37, 40), (42, 44), (46, 47), (49, 51), (53, 53), (57, 57)];

/// A case's failure as a text, `None` when it is observed as written.
fn failure(case: &Case) -> Option<String> {
    let observed = table::run(case);
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

/// The checks of this file must be able to fail.
#[test]
fn a_wrong_expectation_is_reported() {
    let mut case = cases().into_iter().find(|case| case.id == "M9").expect("a case");
    case.expected = vec!["A: STORED".to_owned()];
    assert!(failure(&case).is_some_and(|text| text.contains("A: NOT_FOUND")));
}

/// M48: 20,000 keys on five nodes, and one node leaves.
#[test]
fn only_the_keys_of_a_node_that_leaves_move() {
    let placement = Ring::default();
    let five = ring::of(5);
    let mut owned = BTreeMap::new();
    let keys: Vec<String> = (0..20_000).map(|n| format!("key-{n}")).collect();
    for key in &keys {
        *owned.entry(placement.owner(five, key)).or_insert(0) += 1;
    }
    assert_eq!(owned.values().sum::<i32>(), 20_000);
    // An even share is 4,000; with 160 points a node the shares differ by a fifth or so.
    assert!(owned.values().all(|share| (3_000..=5_000).contains(share)), "{owned:?}");
    for gone in 0..5 {
        let four = five & !(1 << gone);
        let moved: Vec<_> =
            keys.iter().filter(|key| placement.owner(four, key) != placement.owner(five, key)).collect();
        assert!(moved.iter().all(|key| placement.owner(five, key).0 == gone), "a survivor's key moved");
        assert_eq!(
            moved.len() as i32,
            owned[&overtake_recipes::store::Node(gone)],
            "all keys of the node that left moved"
        );
    }
}

/// M31: a batch is a series of look-ups, unless the table says otherwise.
#[test]
fn anything_may_happen_between_two_keys_of_a_batch() {
    let batch = Request::GetMany(overtake_recipes::store::Node(0), vec![Text::new("a"), Text::new("b")]);
    let mut table = Dht::seed(1).with("a", 1).with("b", 1);
    let Served::Going(progress) = table.serve(who(0, 0), &batch, None) else { panic!("it is done at once") };
    for key in ["a", "b"] {
        table.take(&Inner::IsEvicted(overtake_recipes::store::Node(0), Text::new(key)));
    }
    let Served::Done(Ok(Response::Items(items))) = table.serve(who(0, 0), &batch, Some(&progress)) else {
        panic!("it is not done")
    };
    assert_eq!(items.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false]);

    let mut table = Dht::seed(1).batches_at_once().with("a", 1);
    assert!(matches!(table.serve(who(0, 0), &batch, None), Served::Done(Ok(Response::Items(_)))));
}

/// A node that is lost in the middle of a batch does not answer.
#[test]
fn a_lost_node_does_not_finish_a_batch() {
    let node = overtake_recipes::store::Node(0);
    let batch = Request::GetMany(node, vec![Text::new("a"), Text::new("b")]);
    let mut table = Dht::seed(1);
    let Served::Going(progress) = table.serve(who(0, 0), &batch, None) else { panic!("it is done at once") };
    table.take(&Inner::IsLost(node));
    let unavailable = Served::Done(Err(overtake_recipes::StoreError::Unavailable));
    assert_eq!(table.serve(who(0, 0), &batch, Some(&progress)), unavailable);
}
