//! The public bug reports O01 to O46: each faulty program violates the property of its report and no other, and each
//! repaired one is proved within the same bounds.

use overtake_models::*;

/// The number of a report: 7 for `O07 …`.
fn number(scenario: &Scenario) -> Option<u32> {
    scenario.name().strip_prefix('O')?.get(..2)?.parse().ok()
}

/// What the check came to, as a row of the table and as the names of the violated properties.
fn row(scenario: &Scenario) -> (String, Result<Vec<&'static str>, String>) {
    let mut options = Options::default();
    options.limits.every_property = true;
    options.limits.memory = 512 << 20;
    let checked = check(scenario, &options).unwrap();
    let mut row = format!(
        "{:<56} {:<34} {:<9} {:>8} states depth {:>3} {:>4} ms",
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

#[test]
fn each_report_is_found_and_its_repair_is_proved() {
    let only = std::env::var("OVERTAKE_ONLY").unwrap_or_default();
    let mut wrong = Vec::new();
    let scenarios = bugs::all();
    let ours = |s: &&Scenario| number(s).is_some_and(|n| n <= 46) && s.name().contains(&only);
    let ours: Vec<&Scenario> = scenarios.iter().filter(ours).collect();
    assert!(!ours.is_empty(), "nothing is judged; OVERTAKE_ONLY is {only:?}");
    for scenario in ours {
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
            assert_eq!(scenario.bounds(), repaired.bounds());
            let names = |s: &Scenario| s.judged_by().iter().map(|p| p.name).collect::<Vec<_>>();
            assert_eq!(names(scenario), names(repaired));
            assert_eq!(*repaired.expected(), Expected::Proved);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
