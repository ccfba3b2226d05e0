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
use overtake_recipes::store::documents::{Op, Request, and, eq, set};
use overtake_recipes::store::{Texts, doc};
use overtake_sim::names::{Text, who};
use overtake_sim::stores::documents::Response;
use overtake_sim::stores::{Documents, Served, Service};

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

/// D2, a hundred clients: find, then `$set` to one more. `reads_ahead` clients read before the first of them writes.
fn a_hundred_clients(reads_ahead: usize) -> i64 {
    let mut store = Documents::new().with("c", doc([("_id", 1.into()), ("n", 0.into())]));
    let mut serve = |client: usize, op: Op| {
        let request = Request { collection: "c", op, transaction: None, operation: None, secondary: false };
        let request = request.map(&mut |text: String| Text::new(&text));
        match store.serve(who(client, 0), &request, None) {
            Served::Done(Ok(response)) => response,
            other => panic!("{other:?}"),
        }
    };
    let mut read = Vec::new();
    for client in 0..100 + reads_ahead {
        if client < 100 {
            let Response::Document(Some(found)) = serve(client, Op::FindOne(eq("_id", 1))) else {
                panic!("it is there")
            };
            read.push(found.at("n").and_then(|n| n.as_int()).expect("a number"));
        }
        if let Some(writer) = client.checked_sub(reads_ahead) {
            serve(writer, Op::UpdateOne(eq("_id", 1), vec![set("n", read[writer] + 1)], false));
        }
    }
    store.all("c")[0].at("n").and_then(|n| n.as_int()).expect("a number")
}

#[test]
fn a_hundred_clients_lose_as_much_as_they_read_ahead() {
    assert_eq!(a_hundred_clients(0), 100, "one after the other");
    assert_eq!(a_hundred_clients(1), 50, "each reads before the one before him has written");
    assert_eq!(a_hundred_clients(99), 1, "all read first");
}

/// Snippet 5 as written, with a cursor where the list belongs: the server cannot read the filter, and changes nothing (§7.5).
#[test]
fn an_operator_without_its_list_is_refused() {
    let cursor = doc([("$in", doc([("cursor", 1.into())]))]);
    let mut store = Documents::new().with("c", doc([("_id", 1.into()), ("guid", "p".into())]));
    let before = store.clone();
    for op in [
        Op::UpdateMany(eq("guid", cursor.clone()), vec![set("closed", true)]),
        Op::Find(and([eq("_id", 1), eq("guid", cursor)]), None),
    ] {
        let request = Request { collection: "c", op, transaction: None, operation: None, secondary: false };
        let request = request.map(&mut |text| Text::new(&text));
        let refused = Served::Done(Err(overtake_recipes::StoreError::BadRequest));
        assert_eq!(store.serve(who(0, 0), &request, None), refused);
    }
    assert_eq!(store, before);
}
