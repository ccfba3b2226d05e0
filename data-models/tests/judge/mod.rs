//! Judges lists of reports exactly: each faulty program violates the property of its report and no other, each repaired one and its
//! bounds are the same but for the program, and is proved.

use overtake_data_models::reports::REPORTS;
use overtake_models::*;

/// What the check came to, as a row of the table and as the names of the violated properties.
fn row(scenario: &Scenario) -> (String, Result<Vec<&'static str>, String>) {
    let mut options = Options::default();
    options.limits.every_property = true;
    options.limits.memory = 512 << 20;
    let checked = check(scenario, &options).unwrap();
    let mut row = format!(
        "{:<62} {:<26} {:<9} {:>8} states depth {:>3} {:>4} ms",
        scenario.name(),
        scenario.bounds(),
        checked.verdict.word(),
        checked.seen.states,
        checked.seen.depth,
        checked.seen.time.as_millis(),
    );
    let outcome = match checked.verdict {
        Verdict::Proved => Ok(Vec::new()),
        Verdict::Falsified(findings) => {
            for finding in &findings {
                row += &format!("\n    {}: {}", finding.property, finding.because);
                if std::env::var("STORIES").is_ok() {
                    row += &format!("\n{}", finding.trace);
                }
            }
            Ok(findings.iter().map(|finding| finding.property).collect())
        }
        Verdict::Held(why) | Verdict::Broken(why) => Err(why),
    };
    (row, outcome)
}

fn names(scenario: &Scenario) -> Vec<&'static str> {
    scenario.judged_by().iter().map(|p| p.name).collect()
}

/// Judges the reports of these classes; `ONLY` in the environment picks some by a part of their names, `STORIES` shows the traces.
pub fn judge(classes: &[&str]) {
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut wrong = Vec::new();
    for (_, _, scenarios) in REPORTS.iter().filter(|(id, ..)| classes.contains(&&id[..2])) {
        let scenarios = scenarios();
        for scenario in scenarios.iter().filter(|s| s.name().contains(&only)) {
            let (row, outcome) = row(scenario);
            println!("{row}");
            let expected = match scenario.expected() {
                Expected::Proved => vec![],
                Expected::Falsified(property) => vec![*property],
            };
            if outcome.as_ref() != Ok(&expected) {
                wrong.push(format!("{}: expected {expected:?}, got {outcome:?}", scenario.name()));
            }
            if let Some(repair) = scenario.repair() {
                let repaired = scenarios.iter().find(|s| s.name() == repair).unwrap();
                assert_eq!(scenario.bounds(), repaired.bounds(), "{repair}");
                assert_eq!(*repaired.expected(), Expected::Proved, "{repair}");
                // It is looked at in every way in which the faulty one is.
                let looked_at = names(repaired);
                let missing = names(scenario).into_iter().find(|name| !looked_at.contains(name));
                assert_eq!(missing, None, "{repair} is judged by it as well");
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
