//! Judging a list of scenarios: each has the verdict that it deserves, and each repair is proved within the same bounds.

use overtake_models::*;

/// What the check came to, as a row of the table and as the names of the violated properties.
fn row(scenario: &Scenario) -> (String, Result<Vec<&'static str>, String>) {
    let mut options = Options::default();
    options.limits.every_property = true;
    options.limits.memory = 512 << 20;
    let checked = check(scenario, &options).unwrap();
    let (name, bounds, word) = (scenario.name(), scenario.bounds(), checked.verdict.word());
    let (states, depth) = (checked.seen.states, checked.seen.depth);
    let mut row = format!("{name:<64} {bounds:<24} {word:<9} {states:>7} states depth {depth:>3}");
    let outcome = match checked.verdict {
        Verdict::Proved => Ok(Vec::new()),
        Verdict::Falsified(findings) => {
            for finding in &findings {
                row += &format!("\n    {}: {}", finding.property, finding.because);
                if std::env::var("STORIES").is_ok() {
                    finding.taken.iter().for_each(|taken| row += &format!("\n        {}", taken.text));
                }
            }
            Ok(findings.iter().map(|finding| finding.property).collect())
        }
        Verdict::Held(why) | Verdict::Broken(why) => Err(why),
    };
    (row, outcome)
}

/// Checks all of them; `ONLY=text` those whose names hold the text. Faulty ones violate their property and no other.
pub fn judge(scenarios: &[Scenario]) {
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut wrong = Vec::new();
    for scenario in scenarios.iter().filter(|scenario| scenario.name().contains(&only)) {
        let (row, outcome) = row(scenario);
        println!("{row}");
        let expected = match scenario.expected() {
            Expected::Proved => vec![],
            Expected::Falsified(property) => vec![*property],
        };
        if outcome.as_ref() != Ok(&expected) {
            wrong.push(format!("{}: expected {expected:?}, got {outcome:?}", scenario.name()));
        }
        match scenario.repair() {
            Some(repair) => {
                let repaired = scenarios.iter().find(|s| s.name() == repair);
                let repaired = repaired.unwrap_or_else(|| panic!("{}: no {repair}", scenario.name()));
                assert_eq!(scenario.bounds(), repaired.bounds(), "{repair}");
                let names = |s: &Scenario| s.judged_by().iter().map(|p| p.name).collect::<Vec<_>>();
                assert_eq!(names(scenario), names(repaired), "{repair}");
                assert_eq!(*repaired.expected(), Expected::Proved, "{repair}");
            }
            None => assert_eq!(*scenario.expected(), Expected::Proved, "{}: no repair is named", scenario.name()),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
