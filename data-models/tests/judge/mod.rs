//! Judges scenarios exactly: each violates the properties that it should and no other, and each repair is proved within the same bounds, by
//! the same properties.
//!
//! `OVERTAKE_ONLY=text` picks scenarios whose names hold the text, `STORIES=1` shows the traces.
#![allow(dead_code, reason = "each file of tests uses its part")]

use overtake_data_models::reports::REPORTS;
use overtake_models::*;

/// What a scenario violates beyond the property that it is about, by its name.
pub type AsWell<'a> = &'a [(&'a str, &'a [&'static str])];

/// The names of the violated properties, sorted, and the number of states.
pub fn outcome(scenario: &Scenario) -> (Result<Vec<&'static str>, String>, usize) {
    let mut options = Options::default();
    options.limits.every_property = true;
    options.limits.memory = 512 << 20;
    let checked = check(scenario, &options).unwrap();
    let (name, bounds, word) = (scenario.name(), scenario.bounds(), checked.verdict.word());
    println!("{name:<64} {bounds:<26} {word:<9} {:>8} states depth {:>3}", checked.seen.states, checked.seen.depth);
    let outcome = match checked.verdict {
        Verdict::Proved => Ok(Vec::new()),
        Verdict::Falsified(findings) => {
            for finding in &findings {
                println!("    {}: {}", finding.property, finding.because);
                if std::env::var("STORIES").is_ok() {
                    println!("{}", finding.trace);
                }
            }
            let mut violated: Vec<_> = findings.iter().map(|finding| finding.property).collect();
            violated.sort_unstable();
            Ok(violated)
        }
        Verdict::Held(why) | Verdict::Broken(why) => Err(why),
    };
    (outcome, checked.seen.states)
}

/// What is wrong with a scenario among those that its repair is one of.
fn wrong_with(scenario: &Scenario, all: &[Scenario], as_well: AsWell<'_>) -> Vec<String> {
    let name = scenario.name();
    let mut wrong = Vec::new();
    let mut expected = match scenario.expected() {
        Expected::Proved => Vec::new(),
        Expected::Falsified(property) => vec![*property],
    };
    expected.extend(as_well.iter().filter(|(of, _)| *of == name).flat_map(|(_, more)| more.iter()));
    expected.sort_unstable();
    let (outcome, _) = outcome(scenario);
    if outcome.as_ref() != Ok(&expected) {
        wrong.push(format!("{name}: expected {expected:?}, got {outcome:?}"));
    }
    let Expected::Falsified(property) = scenario.expected() else { return wrong };
    // What a search finds that ends with the first violation.
    if expected.len() > 1 {
        match check(scenario, &Options::default()).unwrap().verdict {
            Verdict::Falsified(findings) if findings[0].property == *property => {}
            other => wrong.push(format!("{name}: found first: {other:?}")),
        }
    }
    let Some(repair) = scenario.repair() else {
        wrong.push(format!("{name}: no repair is named"));
        return wrong;
    };
    let Some(repaired) = all.iter().find(|other| other.name() == repair) else {
        wrong.push(format!("{name}: there is no {repair}"));
        return wrong;
    };
    if *repaired.expected() != Expected::Proved {
        wrong.push(format!("{name}: {repair} is not to be proved"));
    }
    if !scenario.only_bounds_help() && repaired.bounds() != scenario.bounds() {
        wrong.push(format!("{name}: {repair} has other bounds"));
    }
    // It is looked at in every way in which the faulty one is, and in every way in which that breaks.
    let looked_at = |name: &str| repaired.judged_by().iter().any(|p| p.name == name);
    let own = scenario.judged_by().iter().map(|p| p.name).filter(|_| !scenario.only_bounds_help());
    if let Some(missing) = own.chain(expected).find(|name| !looked_at(name)) {
        wrong.push(format!("{name}: {repair} does not look at {missing}"));
    }
    wrong
}

fn is_picked(scenario: &Scenario) -> bool {
    scenario.name().contains(&std::env::var("OVERTAKE_ONLY").unwrap_or_default())
}

fn conclude(judged: usize, wrong: &[String]) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(judged > 0, "nothing was judged; OVERTAKE_ONLY is {:?}", std::env::var("OVERTAKE_ONLY"));
}

/// Judges a list of scenarios, some of which violate more than the property that they are about.
pub fn judge_with(scenarios: &[Scenario], as_well: AsWell<'_>) {
    for (name, _) in as_well {
        assert!(scenarios.iter().any(|scenario| scenario.name() == *name), "there is no {name}");
    }
    let picked: Vec<_> = scenarios.iter().filter(|scenario| is_picked(scenario)).collect();
    let wrong: Vec<_> = picked.iter().flat_map(|scenario| wrong_with(scenario, scenarios, as_well)).collect();
    conclude(picked.len(), &wrong);
}

/// Judges a list of scenarios that violate the property that they are about and no other.
pub fn judge(scenarios: &[Scenario]) {
    judge_with(scenarios, &[]);
}

/// Judges the reports of these classes.
pub fn judge_reports(classes: &[&str]) {
    let (mut judged, mut wrong) = (0, Vec::new());
    for (_, _, scenarios) in REPORTS.iter().filter(|(id, ..)| classes.contains(&&id[..2])) {
        let scenarios = scenarios();
        for scenario in scenarios.iter().filter(|scenario| is_picked(scenario)) {
            judged += 1;
            wrong.extend(wrong_with(scenario, &scenarios, &[]));
        }
    }
    conclude(judged, &wrong);
}
