//! The matrix of lock implementations and faults: every field has the verdict that its implementation deserves.

use overtake_models::*;

/// What the check came to: the names of the violated properties, and the number of states.
fn outcome(scenario: &Scenario) -> (Result<Vec<&'static str>, String>, u64) {
    let checked = check(scenario, &Options::default()).unwrap();
    let states = checked.seen.states as u64;
    let outcome = match checked.verdict {
        Verdict::Proved => Ok(Vec::new()),
        Verdict::Falsified(findings) => {
            if std::env::var("STORIES").is_ok() {
                for finding in &findings {
                    println!("{}: {}\n{}", finding.property, finding.because, finding.trace);
                }
            }
            Ok(findings.iter().map(|finding| finding.property).collect())
        }
        Verdict::Held(why) | Verdict::Broken(why) => Err(why),
    };
    (outcome, states)
}

#[test]
fn every_field_has_its_verdict() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut wrong = Vec::new();
    for scenario in scenarios::lock_matrix::scenarios().iter().filter(|s| s.name().contains(&only)) {
        let start = std::time::Instant::now();
        let (outcome, states) = outcome(scenario);
        println!("{:<60} {states:>8} {:>6} ms {outcome:?}", scenario.name(), start.elapsed().as_millis());
        let expected = match scenario.expected() {
            Expected::Proved => vec![],
            Expected::Falsified(property) => vec![*property],
        };
        if outcome.as_ref() != Ok(&expected) {
            wrong.push(format!("{}: expected {expected:?}, got {outcome:?}", scenario.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
