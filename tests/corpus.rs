//! Every trace of the corpus still violates what it says, for the reason that it gives; its repaired twin is proved.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::LazyLock;

use overtake::scenarios;
use overtake::traces::{Replayed, bounded_as, replay, slug};
use overtake::{Expected, Options, Scenario, Trace, Verdict, check_all};
use proptest::prelude::*;
use proptest::sample::{Index, select};

static SCENARIOS: LazyLock<Vec<Scenario>> = LazyLock::new(scenarios);

/// The files by name.
static CORPUS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus"));
    let files = std::fs::read_dir(&folder).expect("tests/corpus is there").flatten();
    files
        .map(|file| (file.file_name().to_string_lossy().into_owned(), file.path()))
        .filter(|(name, _)| name.ends_with(".trace"))
        .map(|(name, path)| (name, std::fs::read_to_string(path).expect("a text")))
        .collect()
});

fn parsed() -> impl Iterator<Item = (&'static str, Trace)> {
    CORPUS.iter().map(|(name, text)| {
        let trace = text.parse().unwrap_or_else(|malformed| panic!("{name}, {malformed}"));
        (name.as_str(), trace)
    })
}

#[test]
fn every_trace_violates_what_it_says_for_the_reason_that_it_gives() {
    let mut wrong = Vec::new();
    for (name, trace) in parsed() {
        match replay(&SCENARIOS, &trace) {
            Ok(Replayed::Violates(_)) => {}
            Ok(Replayed::ForAnotherReason(_, because)) => {
                wrong.push(format!("{name}: {because}, not {}", trace.because))
            }
            Ok(Replayed::ViolatesNothing(_)) => wrong.push(format!("{name}: no longer violates {:?}", trace.violates)),
            Ok(Replayed::Stale(stale)) => wrong.push(format!("{name}: stale: {stale:?}")),
            Ok(Replayed::Broken(why)) | Err(why) => wrong.push(format!("{name}: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_trace_is_printed_as_it_was_read() {
    for (name, trace) in parsed() {
        assert_eq!(trace.to_string(), CORPUS[name], "{name}");
    }
}

#[test]
fn every_scenario_that_must_break_has_a_trace_of_its_property_and_every_trace_a_scenario() {
    let breaks = SCENARIOS.iter().filter_map(|s| match s.expected() {
        Expected::Falsified(property) => Some((format!("{}.trace", slug(s.name())), (s.name(), *property))),
        Expected::Proved => None,
    });
    let breaks: BTreeMap<String, (&str, &str)> = breaks.collect();
    let files: BTreeSet<&str> = CORPUS.keys().map(String::as_str).collect();
    let wanted: BTreeSet<&str> = breaks.keys().map(String::as_str).collect();
    assert_eq!(files, wanted, "`overtake corpus --write` writes what is missing");
    for (name, trace) in parsed() {
        assert_eq!((trace.scenario.as_str(), trace.violates.as_str()), breaks[name], "{name}");
    }
}

#[test]
fn every_repaired_twin_is_proved_within_the_bounds_of_the_trace() {
    let twins: BTreeMap<(String, String), Scenario> = parsed()
        .map(|(name, trace)| {
            let scenario = SCENARIOS.iter().find(|s| s.name() == trace.scenario);
            let own_bounds = scenario.is_some_and(Scenario::only_bounds_help);
            let named = if own_bounds { &trace.holds_within } else { &trace.fixed_by };
            let within = Trace { scenario: named.clone(), ..trace };
            let repaired = match SCENARIOS.iter().find(|s| s.name() == within.scenario) {
                Some(repaired) if own_bounds => repaired.clone(),
                _ => bounded_as(&SCENARIOS, &within).unwrap_or_else(|why| panic!("{name}: {why}")),
            };
            let judged = repaired.judged_by().iter().any(|p| p.name == within.violates);
            assert!(judged, "{name}: {:?} does not look at {:?}", repaired.name(), within.violates);
            ((within.scenario, repaired.bounds()), repaired)
        })
        .collect();
    let twins: Vec<Scenario> = twins.into_values().collect();
    let mut wrong = Vec::new();
    check_all(&twins, &Options::default(), &Default::default(), &|_, _| {}, |place, outcome| {
        let name = format!("{:?} ({})", twins[place].name(), twins[place].bounds());
        match outcome.map(|checked| checked.verdict) {
            Ok(Verdict::Proved) => {}
            Ok(Verdict::Held(why) | Verdict::Broken(why)) => wrong.push(format!("{name}: {why}")),
            Ok(Verdict::Falsified(_)) => wrong.push(format!("{name} breaks")),
            Err(why) => wrong.push(format!("{name}: {why}")),
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whatever the text, an answer: a line for what is malformed, a verdict for the rest.
fn answers(text: &str) {
    match text.parse::<Trace>() {
        Ok(trace) => {
            let printed = trace.to_string();
            let again: Trace = printed.parse().expect("what is printed can be read");
            assert_eq!(again.to_string(), printed);
            if let Err(why) = replay(&SCENARIOS, &trace) {
                assert!(!why.is_empty());
            }
        }
        Err(malformed) => {
            let lines = text.lines().count().max(1);
            assert!((1..=lines).contains(&malformed.line), "line {} of {lines}", malformed.line);
            assert!(malformed.to_string().starts_with("line "));
        }
    }
}

/// One thing done to the lines of a trace.
#[derive(Clone, Debug)]
enum Spoil {
    Drop(Index),
    Twice(Index),
    Swap(Index, Index),
    Replace(Index, String),
    Number(Index, u64),
    Cut(Index, Index),
    Insert(Index, Index, char),
}

impl Spoil {
    fn apply(&self, lines: &mut Vec<String>) {
        if lines.is_empty() {
            return;
        }
        let at = |index: &Index| index.index(lines.len());
        match self {
            Spoil::Drop(i) => drop(lines.remove(at(i))),
            Spoil::Twice(i) => lines.insert(at(i), lines[at(i)].clone()),
            Spoil::Swap(i, j) => {
                let (i, j) = (at(i), at(j));
                lines.swap(i, j);
            }
            Spoil::Replace(i, text) => {
                let i = at(i);
                lines[i].clone_from(text);
            }
            Spoil::Number(i, number) => {
                let i = at(i);
                let kept: String = lines[i].trim_end_matches(|c: char| c.is_ascii_digit()).into();
                lines[i] = format!("{kept}{number}");
            }
            Spoil::Cut(i, end) => {
                let i = at(i);
                let chars = lines[i].chars().count();
                lines[i] = lines[i].chars().take(end.index(chars + 1)).collect();
            }
            Spoil::Insert(i, place, c) => {
                let i = at(i);
                let mut chars: Vec<char> = lines[i].chars().collect();
                chars.insert(place.index(chars.len() + 1), *c);
                lines[i] = chars.into_iter().collect();
            }
        }
    }
}

fn spoil() -> impl Strategy<Value = Spoil> {
    let index = any::<Index>;
    prop_oneof![
        index().prop_map(Spoil::Drop),
        index().prop_map(Spoil::Twice),
        (index(), index()).prop_map(|(i, j)| Spoil::Swap(i, j)),
        (index(), ".*").prop_map(|(i, text)| Spoil::Replace(i, text)),
        (index(), prop_oneof![0..20u64, any::<u64>()]).prop_map(|(i, n)| Spoil::Number(i, n)),
        (index(), index()).prop_map(|(i, j)| Spoil::Cut(i, j)),
        (index(), index(), any::<char>()).prop_map(|(i, j, c)| Spoil::Insert(i, j, c)),
    ]
}

const KEYS: [&str; 10] =
    ["title", "scenario", "clients", "faults", "violates", "because", "fixed by", "steps", "", "colour"];

/// Texts near enough to a trace to get past its first line.
fn nearly() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        (select(&KEYS[..]), ".*").prop_map(|(key, value)| format!("{key}: {value}")),
        Just("steps:".to_owned()),
        (select(&overtake::models::trace::FAULTS[..]), 0..30u8).prop_map(|(kind, n)| format!("faults: {kind} {n}")),
        (0..40usize).prop_map(|n| format!("clients: {n}")),
        any::<Index>().prop_map(|i| format!("scenario: {}", i.get(&SCENARIOS[..]).name())),
        Just("violates: at most one live holder".to_owned()),
        ".*",
    ];
    proptest::collection::vec(line, 0..12).prop_map(|lines| format!("overtake trace 1\n{}", lines.join("\n")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gets_an_answer(text in any::<String>()) {
        answers(&text);
    }

    #[test]
    fn nearly_a_trace_gets_an_answer(text in nearly()) {
        answers(&text);
    }

    #[test]
    fn a_spoilt_trace_gets_an_answer(which in any::<Index>(), spoils in proptest::collection::vec(spoil(), 1..6)) {
        prop_assume!(!CORPUS.is_empty());
        let text = CORPUS.values().nth(which.index(CORPUS.len())).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        spoils.iter().for_each(|spoil| spoil.apply(&mut lines));
        answers(&lines.join("\n"));
    }
}
