//! The public reports from O47 on: each faulty program breaks the property of its report and no other, each repaired
//! one is proved.

use std::time::Instant;

use overtake_models::search::Limits;
use overtake_models::{Expected, Options, Scenario, Verdict, bugs, check};

/// The entry of a scenario: `O47`.
fn entry(scenario: &Scenario) -> Option<&str> {
    let name = scenario.name().split_whitespace().next()?;
    let number: u32 = name.strip_prefix('O')?.parse().ok()?;
    (47..=85).contains(&number).then_some(name)
}

/// What the check ends with, in words; `Err` when it was not expected.
fn outcome(scenario: &Scenario) -> Result<String, String> {
    let limits = Limits { every_property: true, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let checked = check(scenario, &options)?;
    let size = format!("{} states, {:.0?}", checked.seen.states, checked.seen.time);
    match (scenario.expected(), &checked.verdict) {
        (Expected::Proved, Verdict::Proved) => Ok(format!("proved ({size})")),
        (Expected::Falsified(wanted), Verdict::Falsified(findings)) => {
            if std::env::var("TRACE").is_ok() {
                findings.iter().for_each(|f| println!("{}", f.trace));
            }
            // A panic is a failure too: the two properties then break together.
            let same = |property: &str| {
                property == *wanted || *wanted == "no program fails" && property == "no program panics"
            };
            match findings.iter().find(|f| !same(f.property)) {
                None => Ok(format!("{wanted}: {} steps ({size})", findings[0].taken.len())),
                Some(other) => Err(format!("also breaks {:?}:\n{}", other.property, other.trace)),
            }
        }
        (_, Verdict::Falsified(findings)) => {
            Err(findings.iter().map(|f| f.trace.to_string()).collect::<Vec<_>>().join("\n"))
        }
        (_, Verdict::Held(why) | Verdict::Broken(why)) => Err(format!("{} ({size}): {why}", checked.verdict.word())),
        (wanted, Verdict::Proved) => Err(format!("proved ({size}), expected {wanted:?}")),
    }
}

#[test]
fn reports_are_found_and_repairs_proved() {
    let only = std::env::var("OVERTAKE_ONLY").ok();
    let all = bugs::all();
    let start = Instant::now();
    let (mut judged, mut wrong) = (0, Vec::new());
    for scenario in &all {
        let Some(entry) = entry(scenario) else { continue };
        if only.as_ref().is_some_and(|only| only != entry) {
            continue;
        }
        judged += 1;
        if let Some(repair) = scenario.repair() {
            let repaired = all.iter().find(|s| s.name() == repair);
            let repaired = repaired.unwrap_or_else(|| panic!("{repair:?} is missing"));
            assert_eq!(repaired.expected(), &Expected::Proved, "{repair}");
            assert_eq!(repaired.bounds(), scenario.bounds(), "{repair}");
        }
        match outcome(scenario) {
            Ok(told) => println!("{:60} {told}", scenario.name()),
            Err(why) => {
                println!("{:60} WRONG: {why}", scenario.name());
                wrong.push(entry);
            }
        }
    }
    println!("{:.1?} in all", start.elapsed());
    assert!(wrong.is_empty(), "not as expected: {wrong:?}");
    assert!(judged > 0, "nothing was judged; OVERTAKE_ONLY is {only:?}");
}
