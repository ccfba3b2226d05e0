//! Runs the conformance cases of several servers, one by one, and pins down which numbers they cover.

#[path = "conformance/language.rs"]
mod language;
#[path = "conformance/request.rs"]
#[allow(dead_code, reason = "the single server's cases show more")]
mod request;
#[path = "ensemble/servers.rs"]
mod servers;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use language::{Case, read_folder};
use overtake_recipes::CreateMode;
use overtake_sim::ensemble::{Ensemble, LEADER, Quirks, Sent, Taken};
use overtake_sim::names::{Text, who};
use overtake_sim::zookeeper::{Request, Write, ZooKeeper};

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

/// The server of ZOOKEEPER-710 answers a write of a session that has moved, behind the answers that are still to come; the
/// right one closes the connection. Neither gives the write an effect.
#[test]
fn a_moved_write_is_answered_in_order_by_the_faulty_server_only() {
    let session = who(0, 1);
    let create = |path| Write::Create { path: Text::new(path), data: None, mode: CreateMode::Persistent };
    for moved_keeps_connection in [true, false] {
        let quirks = Quirks { moved_keeps_connection, ..Quirks::default() };
        let (mut ensemble, mut out) = (Ensemble::new(ZooKeeper::default(), 1), Vec::new());
        ensemble.seed_session(session, 1);
        let mut send = |ensemble: &mut Ensemble, path| {
            let request = Request::Write(create(path));
            assert_eq!(ensemble.serve(1, session, &request, &mut Vec::new(), quirks), Taken::Forwarded);
            ensemble.accept(1, &mut out, quirks);
        };
        send(&mut ensemble, "/a");
        ensemble.reconnect(LEADER, session, &[], 0, &mut Vec::new()).expect("taken");
        send(&mut ensemble, "/b");
        while !ensemble.followers[0].behind.is_empty() {
            ensemble.commit(1, &mut out);
        }
        let heard: Vec<String> = out
            .iter()
            .map(|sent| match sent {
                Sent::Reply(_, reply) => match &reply.result {
                    Ok(response) => response.to_string(),
                    Err(failure) => failure.error.to_string(),
                },
                other => format!("{other:?}"),
            })
            .collect();
        let expected: &[&str] = if moved_keeps_connection { &["created /a", "SessionMoved"] } else { &["Closed(1)"] };
        assert_eq!(heard, expected);
        assert!(ensemble.leader.node(Text::new("/a")).is_some() && ensemble.leader.node(Text::new("/b")).is_none());
    }
}
