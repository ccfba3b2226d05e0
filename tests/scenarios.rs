//! Every scenario against the manifest: the expected verdict, and the numbers to the last state.

use std::collections::HashSet;

use overtake::models::manifest::{Entry, Manifest};
use overtake::scenarios;
use overtake::{Expected, Options, check_all};

fn committed() -> Manifest {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/models/manifest.txt");
    let text =
        std::fs::read_to_string(path).expect("models/manifest.txt is there; `overtake manifest --write` writes it");
    text.parse().unwrap_or_else(|malformed| panic!("models/manifest.txt, {malformed}"))
}

#[test]
fn every_scenario_ends_as_the_manifest_says() {
    let (scenarios, committed) = (overtake::scenarios(), committed());
    let mut fresh: Vec<Option<Entry>> = scenarios.iter().map(|_| None).collect();
    let mut wrong = Vec::new();
    check_all(&scenarios, &Options::default(), &committed, &|_, _| {}, |place, outcome| {
        match outcome.and_then(|checked| Entry::of(&scenarios[place], &checked)) {
            Ok(entry) => fresh[place] = Some(entry),
            Err(why) => wrong.push(why),
        }
    });
    let fresh = Manifest { entries: fresh.into_iter().flatten().collect() };
    wrong.extend(committed.differences(&fresh));
    assert!(
        wrong.is_empty(),
        "{}\n\n`overtake manifest --write` writes the manifest anew; look at what changed before you commit it",
        wrong.join("\n")
    );
}

#[test]
fn scenarios_are_told_apart_and_say_what_they_are() {
    let mut names = HashSet::new();
    for scenario in scenarios() {
        let name = scenario.name().to_owned();
        assert!(!name.contains(['|', '\n']), "{name:?} cannot stand in the manifest");
        assert!(!scenario.paragraph().is_empty(), "{name:?} says what happens in it: .about(…)");
        assert!(!scenario.origin().is_empty(), "{name:?} says where it comes from: .source(…)");
        assert!(scenario.judged_by().iter().any(|p| p.is_sometimes()), "{name:?} says what must be reached");
        assert!(names.insert(name.clone()), "{name:?} is there twice");
    }
}

#[test]
fn a_scenario_that_must_break_names_a_repair_that_must_hold() {
    let all = scenarios();
    let mut wrong = Vec::new();
    for scenario in &all {
        let Expected::Falsified(property) = scenario.expected() else {
            continue;
        };
        let name = scenario.name();
        if !scenario.judged_by().iter().any(|p| p.name == *property && !p.is_sometimes()) {
            wrong.push(format!("{name:?} is expected to violate {property:?}, which it does not have"));
        }
        let Some(repair) = scenario.repair() else {
            wrong.push(format!("{name:?} names no repair: .fixed_by(…)"));
            continue;
        };
        let Some(repaired) = all.iter().find(|s| s.name() == repair) else {
            wrong.push(format!("{name:?} is repaired by {repair:?}, which does not exist"));
            continue;
        };
        if *repaired.expected() != Expected::Proved {
            wrong.push(format!("{repair:?} repairs {name:?}, so it must hold"));
        }
        if !repaired.judged_by().iter().any(|p| p.name == *property) {
            wrong.push(format!("{repair:?} repairs {name:?}, but does not look at {property:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
