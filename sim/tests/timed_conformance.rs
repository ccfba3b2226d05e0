//! The conformance cases about time, run against the clocks of servers and libraries.

mod timed;

use std::path::Path;

use overtake_sim::clock::{Granting, duration};
use timed::bench::{Bench, Setup};
use timed::language::{Case, Expected, read};

const PHASES: u64 = 20;

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/timed");
    ["sessions.txt", "libraries.txt"]
        .iter()
        .flat_map(|file| read(file, &std::fs::read_to_string(folder.join(file)).expect("a case file")))
        .collect()
}

/// Why the case is not met in a phase.
fn misses(case: &Case, phase: u64) -> Option<String> {
    let setup =
        Setup { phase: 1_000 * case.setup.tick + phase * case.setup.tick / PHASES, seed: phase, ..case.setup.clone() };
    let (granted, seen) = Bench::run(&setup);
    let looked_at = |name: char| {
        case.expected.iter().any(|e| matches!(e, Expected::Seen(n, ..) | Expected::Nothing(n) if *n == name))
    };
    let mut seen = seen.into_iter().filter(|(_, name, _)| looked_at(*name));
    let mut wanted = Vec::new();
    for expected in &case.expected {
        match expected {
            Expected::Granted(name, timeout) if granted[name] != *timeout => {
                return Some(format!("{name} is granted {}", duration::text(granted[name])));
            }
            Expected::Granted(..) | Expected::Nothing(_) => {}
            Expected::Seen(name, what, span) => wanted.push((*name, *what, span)),
        }
    }
    for (name, what, span) in wanted {
        match seen.next() {
            Some((at, n, w)) if n == name && w == what && (span.first..=span.last).contains(&at) => {}
            other => return Some(format!("{name} {what:?} in {}: {other:?}", span.text)),
        }
    }
    seen.next().map(|more| format!("and then {more:?}"))
}

#[test]
fn clocks_conform() {
    let cases = cases();
    assert!(cases.len() > 20);
    let mut wrong = Vec::new();
    for case in &cases {
        for phase in 0..PHASES {
            if let Some(why) = misses(case, phase) {
                wrong.push(format!("{} {} in phase {phase}: {why}", case.place, case.id));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The numbers of the list that are about time, and have a case here.
#[test]
fn the_list_is_covered() {
    let mut covered: Vec<u32> = cases()
        .iter()
        .filter_map(|case| case.id.strip_prefix('Z')?.trim_end_matches(char::is_alphabetic).parse().ok())
        .collect();
    covered.sort_unstable();
    covered.dedup();
    assert_eq!(covered, [88, 93, 95, 96, 117, 118, 119, 120, 121, 125, 128, 129, 147, 149]);
}

/// Each case must be able to fail. With half the time-out none holds; with twice, only those do whose moments are the server's
/// (it is gone, it sleeps), and the one whose time-out is all but the longest already.
#[test]
fn wrong_clocks_do_not_conform() {
    for (scale, holds) in [((1, 2), vec![]), ((2, 1), vec!["Z119", "Z121a", "Z149"])] {
        let held: Vec<String> = cases()
            .into_iter()
            .filter(|case| case.expected.iter().any(|e| matches!(e, Expected::Seen(..))))
            .filter_map(|mut case| {
                let granted = |case: &Case| {
                    let granting = Granting::of_tick(case.setup.tick);
                    case.setup.clients.iter().map(|client| granting.negotiate(client.2)).collect::<Vec<_>>()
                };
                let before = granted(&case);
                case.setup.clients.iter_mut().for_each(|client| client.2 = client.2 * scale.0 / scale.1);
                // Where the server clamps it to what it was, nothing is wrong.
                let differs = granted(&case) != before;
                (differs && (0..PHASES).all(|phase| misses(&case, phase).is_none())).then_some(case.id)
            })
            .collect();
        assert_eq!(held, holds, "{scale:?}");
    }
}

/// A year of a healthy cluster: short pauses, drifting clocks, a network that hesitates. Nobody expires, nobody is cut off.
#[test]
fn a_healthy_year_has_no_false_expiry() {
    let setup = |library: &'static overtake_sim::clock::Library| Setup {
        tick: 3 * duration::SECOND,
        latency: "lognormal:500us,1".parse().expect("a distribution"),
        clients: vec![
            ('A', Some(library), 60 * duration::SECOND, false),
            ('B', Some(library), 60 * duration::SECOND, true),
        ],
        acts: Vec::new(),
        phase: 123_456_789,
        drift: 200,
        hiccups: Some(("exp:300s".parse().expect("gaps"), "lognormal:15ms,0.8".parse().expect("pauses"))),
        until: duration::YEAR,
        seed: 1,
    };
    let (granted, seen) = Bench::run(&setup(&overtake_sim::clock::library::JAVA));
    assert_eq!(granted[&'A'], 60 * duration::SECOND);
    assert_eq!(seen, []);
    // A library that pings after its time-out does not live through an hour.
    static LAZY: overtake_sim::clock::Library = overtake_sim::clock::Library {
        name: "lazy",
        read: overtake_sim::clock::library::Part(2, 1),
        pinging: overtake_sim::clock::library::Pinging::After(overtake_sim::clock::library::Part(1, 4)),
        ..overtake_sim::clock::library::JAVA
    };
    let pauses = Some(("exp:60s".parse().expect("gaps"), "pareto:5s,1,cap=80s".parse().expect("pauses")));
    let (_, seen) = Bench::run(&Setup { until: duration::HOUR, hiccups: pauses, ..setup(&LAZY) });
    assert!(seen.iter().any(|(_, _, what)| *what == timed::bench::Seen::Expired), "{seen:?}");
}
