//! Searches while typing, messages of different priority, caches in front of a store, linearizability: every scenario has its verdict.

use overtake_data_models::scenarios::{cache, linearizable, orders, search};
use overtake_models::{Expected, Options, Scenario, Verdict, check};

/// The names of the violated properties.
fn outcome(scenario: &Scenario) -> Result<Vec<&'static str>, String> {
    let mut options = Options::default();
    options.limits.every_property = true;
    let checked = check(scenario, &options).unwrap();
    println!("{} | {} | {} states", scenario.name(), scenario.bounds(), checked.seen.states);
    match checked.verdict {
        Verdict::Proved => Ok(Vec::new()),
        Verdict::Falsified(findings) => {
            for finding in &findings {
                println!("    {}: {}", finding.property, finding.because);
                if std::env::var("STORIES").is_ok() {
                    println!("{}", finding.trace);
                }
            }
            Ok(findings.iter().map(|finding| finding.property).collect())
        }
        Verdict::Held(why) | Verdict::Broken(why) => Err(why),
    }
}

fn judge(scenarios: &[Scenario], violated_as_well: &[(&str, &[&str])]) {
    let only = std::env::var("ONLY").unwrap_or_default();
    let mut wrong = Vec::new();
    for scenario in scenarios.iter().filter(|s| s.name().contains(&only)) {
        let mut expected = match scenario.expected() {
            Expected::Proved => Vec::new(),
            Expected::Falsified(property) => vec![*property],
        };
        let more = violated_as_well.iter().filter(|(name, _)| *name == scenario.name());
        expected.extend(more.flat_map(|(_, properties)| properties.iter()));
        expected.sort_unstable();
        let outcome = outcome(scenario).map(|mut violated| {
            violated.sort_unstable();
            violated
        });
        if outcome.as_ref() != Ok(&expected) {
            wrong.push(format!("{}: expected {expected:?}, got {outcome:?}", scenario.name()));
        }
        // What a search finds that ends with the first violation.
        if let Expected::Falsified(property) = scenario.expected() {
            match check(scenario, &Options::default()).unwrap().verdict {
                Verdict::Falsified(findings) if findings[0].property == *property => {}
                other => wrong.push(format!("{}: found first: {other:?}", scenario.name())),
            }
        }
        if let Some(repair) = scenario.repair() {
            let repaired = scenarios.iter().find(|s| s.name() == repair).unwrap_or_else(|| panic!("no {repair}"));
            if !scenario.only_bounds_help() {
                assert_eq!(scenario.bounds(), repaired.bounds(), "{repair}");
            }
            let looked_at = |name: &&&str| repaired.judged_by().iter().any(|p| p.name == **name);
            assert_eq!(expected.iter().find(|name| !looked_at(name)), None, "{repair} is judged by it as well");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn searches_have_their_verdicts() {
    let last = "the display belongs to the last input";
    let back = "the display never goes back";
    judge(
        &search::scenarios(),
        &[
            ("cart search, last arrival", &[last]),
            ("cart search, cancel only", &[last]),
            ("cart search, debounce", &[last]),
            ("mobile search, last arrival", &[last]),
            ("mobile search, cancel only", &[last]),
            ("mobile search, debounce", &[back]),
        ],
    );
}

#[test]
fn orders_have_their_verdicts() {
    let done = "what was sent is done";
    let in_order = "messages take effect in their order";
    judge(
        &orders::scenarios(),
        &[
            ("urgent message overtakes", &[done]),
            ("urgent message, a lock alone", &[done]),
            ("message delivered again", &[done, in_order]),
        ],
    );
}

#[test]
fn caches_have_their_verdicts() {
    let own = "who has written reads it";
    judge(
        &cache::scenarios(),
        &[
            ("cache, plain fill", &[own]),
            ("cache, fill if absent", &[own]),
            ("cache, invalidated first", &[own]),
            ("cache, fill by version, evicted", &[own]),
        ],
    );
}

#[test]
fn hash_tables_have_their_verdicts() {
    judge(&linearizable::scenarios(), &[]);
}
