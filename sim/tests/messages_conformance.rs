//! Runs the conformance cases of the queues, one by one, and pins down which numbers they cover.

#[path = "conformance/language.rs"]
mod language;

use std::path::Path;

use language::{Case, Step, read_folder};
use overtake_recipes::store::Texts;
use overtake_sim::names::{Text, who};
use overtake_sim::stores::messages::{Inner, Request, Response};
use overtake_sim::stores::{Messages, Served, Service, Value};

/// The numbers that have a case.
const COVERED: std::ops::RangeInclusive<u32> = 1..=18;

fn cases() -> Vec<Case> {
    read_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages"))
}

fn queue(name: &str) -> &'static str {
    ["q", "r", "no"].into_iter().find(|queue| *queue == name).unwrap_or_else(|| panic!("no queue is called {name}"))
}

/// `send Q "body" PRIORITY`, `receive Q`, `try Q`, `ack Q NUMBER RECEIPT`, `back Q NUMBER RECEIPT`.
fn request(words: &[String]) -> Request {
    let number = |at: usize| words[at].parse().expect("a number");
    let queue = queue(&words[1]);
    match words[0].as_str() {
        "send" => {
            let body = words[2].strip_prefix('"').expect("a body in quotes");
            Request::Send(queue, Value::Text(Text::new(body)), words[3].parse().expect("a priority"))
        }
        "receive" => Request::Receive(queue),
        "try" => Request::TryReceive(queue),
        "ack" => Request::Acknowledge(queue, number(2), number(3)),
        "back" => Request::GiveBack(queue, number(2), number(3)),
        other => panic!("unknown request: {other}"),
    }
}

fn step(messages: &mut Messages, step: &Step) -> Option<String> {
    let words = &step.words;
    match words[0].as_str() {
        "redeliver" => {
            let inner = Inner::Redeliver(queue(&words[1]), words[2].parse().expect("a number"));
            assert!(messages.inner().contains(&inner), "line {}: it cannot be delivered again", step.line);
            messages.take(&inner);
            None
        }
        "steps" => {
            let steps: Vec<_> = messages.inner().iter().map(|inner| messages.describe(inner)).collect();
            Some(format!("steps [{}]", steps.join(", ")))
        }
        "show" => {
            let queue = queue(&words[1]);
            let ready: Vec<_> = messages.ready(queue).iter().map(|message| message.id).collect();
            let out = messages.unacknowledged(queue).map(|message| message.id).filter(|id| !ready.contains(id));
            let out: Vec<_> = out.collect();
            Some(format!("{queue}: sent {}, ready {ready:?}, out {out:?}", messages.sent(queue)))
        }
        letter => {
            let caller = who((letter.as_bytes()[0] - b'A') as usize, 0);
            let answer = match messages.serve(caller, &request(&words[1..]), None) {
                Served::Done(Ok(response)) => response.map(&mut |text| text.full()).to_string(),
                Served::Done(Err(error)) => error.to_string(),
                Served::Going(progress) => match progress {},
                Served::Waits => "waits".to_owned(),
            };
            assert!(!step.setup || !["waits", "no"].contains(&answer.as_str()), "line {}: {answer}", step.line);
            (!step.setup).then(|| format!("{letter}: {answer}"))
        }
    }
}

#[test]
fn every_case_is_observed_as_written() {
    let mut failures = String::new();
    for case in cases() {
        let mut messages = Messages::default();
        let observed: Vec<_> = case.steps.iter().filter_map(|line| step(&mut messages, line)).collect();
        if observed != case.expected {
            let (expected, observed) = (case.expected.join("\n    "), observed.join("\n    "));
            let head = format!("  {} {} ({})", case.id, case.title, case.place);
            failures += &format!("{head}\n   expected\n    {expected}\n   observed\n    {observed}\n");
        }
    }
    assert!(failures.is_empty(), "cases that fail:\n{failures}");
}

#[test]
fn exactly_the_listed_numbers_are_covered_once() {
    let covered: Vec<u32> = cases().iter().map(Case::number).collect();
    assert_eq!(covered, COVERED.collect::<Vec<_>>());
    assert!(cases().iter().all(|case| !case.expected.is_empty()), "a case that expects nothing checks nothing");
}

/// What a world starts with is what would be there if somebody had sent it.
#[test]
fn initial_messages_are_as_if_sent() {
    let with = Messages::default().with("q", "x", 3).with("q", "y", 4);
    let mut sent = Messages::default();
    for (body, priority) in [("x", 3), ("y", 4)] {
        let served = sent.serve(0, &Request::Send("q", Value::Text(Text::new(body)), priority), None);
        assert_eq!(served, Served::Done(Ok(Response::Done)));
    }
    assert_eq!(with, sent);
}
