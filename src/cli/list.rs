//! `list`: the scenarios there are.

use anstyle::Style;
use overtake_models::manifest::expected_text;
use overtake_models::{Expected, Scenario};
use overtake_threads::check::Program;
use serde_json::{Value, json};

use super::exit::{Exit, Failure, Outcome};
use super::screen::{BUG, FAINT, GOOD, Table, say};
use super::{CommandLine, threads};

pub(super) fn list(line: &CommandLine, part: Option<&str>, json: bool) -> Outcome {
    let part = part.unwrap_or_default().to_lowercase();
    let wanted = |s: &&Scenario| s.name().to_lowercase().contains(&part);
    let scenarios: Vec<&Scenario> = line.scenarios.iter().filter(wanted).collect();
    let programs: Vec<&Program> = line.threads.iter().filter(|p| p.name().to_lowercase().contains(&part)).collect();
    if scenarios.is_empty() && programs.is_empty() && !part.is_empty() {
        return Err(Failure::bad_input(format!(
            "no scenario is called something with {part:?}; `list` alone shows all of them"
        )));
    }
    if json {
        let told: Vec<Value> = scenarios.iter().map(|s| told(s)).collect();
        let programs: Vec<Value> = programs.iter().map(|p| threads::described(p)).collect();
        say(json!({ "scenarios": told, "threads": programs, "exit": 0 }))?;
        return Ok(Exit::AsExpected);
    }
    let rows = scenarios.iter().map(|s| {
        let style = match s.expected() {
            Expected::Proved => GOOD,
            Expected::Falsified(_) => BUG,
        };
        vec![
            (Style::new(), s.name().to_owned()),
            (FAINT, s.bounds()),
            (style, expected_text(s)),
            (FAINT, s.paragraph().to_owned()),
        ]
    });
    let table = Table { head: vec!["scenario", "bounds", "expected", "about"], right: &[], rows: rows.collect() };
    if !scenarios.is_empty() {
        table.lines().iter().try_for_each(say)?;
    }
    if !programs.is_empty() {
        if !scenarios.is_empty() {
            say("")?;
        }
        threads::print_list(&programs)?;
    }
    Ok(Exit::AsExpected)
}

fn told(scenario: &Scenario) -> Value {
    json!({
        "name": scenario.name(),
        "bounds": scenario.bounds(),
        "expected": expected_text(scenario),
        "about": scenario.paragraph(),
        "source": scenario.origin(),
        "fixed_by": scenario.repair(),
        "properties": scenario.judged_by().iter().map(|p| p.name).collect::<Vec<_>>(),
    })
}
