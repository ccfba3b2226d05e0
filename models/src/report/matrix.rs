//! The recipes under each kind of fault.

use super::text::{Table, plain};
use super::{Outcome, must_break, reports, verdict_cell};
use crate::check::named_faults;
use crate::scenario::Scenario;

const ABOUT: &str = "\
## Recipes and faults

Each cell lists the scenarios of a recipe under one kind of fault, with the verdict and the exact number of states.
";

/// The matrix.
pub(super) fn section(results: &[Outcome]) -> String {
    let recipes: Vec<&str> = results.iter().filter(|o| is_recipe(results, o)).map(|(s, _)| s.name()).collect();
    let cases: Vec<(&str, String, &Outcome)> = results
        .iter()
        .filter_map(|outcome| {
            let recipe = recipes.iter().copied().find(|recipe| variant(recipe, outcome.0.name()).is_some())?;
            Some((recipe, faults(&outcome.0), outcome))
        })
        .collect();
    let mut columns: Vec<&str> = Vec::new();
    for (_, column, _) in &cases {
        if !columns.contains(&column.as_str()) {
            columns.push(column);
        }
    }
    if columns.is_empty() {
        return String::new();
    }
    columns.sort_by_key(|column| usize::from(*column != NONE) * (1 + column.matches(" and ").count()));
    let mut table = Table::new(["recipe"].into_iter().chain(columns.iter().copied()), &[]);
    for recipe in &recipes {
        let mut row = vec![format!("**{}**", plain(recipe))];
        for column in &columns {
            let here = cases.iter().filter(|(r, c, _)| r == recipe && c == column);
            let entries: Vec<String> = here.map(|(recipe, _, outcome)| entry(recipe, outcome)).collect();
            row.push(if entries.is_empty() { "–".into() } else { entries.join("<br>") });
        }
        table.row(row);
    }
    format!("{ABOUT}\n{}", table.text())
}

const NONE: &str = "no faults";

/// Whether others are variants of this scenario, which must hold.
fn is_recipe(results: &[Outcome], (scenario, _): &Outcome) -> bool {
    let others = || results.iter().filter(|(other, _)| other.name() != scenario.name());
    reports::number(scenario).is_none()
        && !must_break(scenario)
        && others().any(|(other, _)| variant(scenario.name(), other.name()).is_some())
        && !others().any(|(other, _)| variant(other.name(), scenario.name()).is_some())
}

/// What distinguishes the scenario from the recipe's first one; `None` when it is of another recipe.
fn variant<'a>(recipe: &str, name: &'a str) -> Option<&'a str> {
    let rest = name.strip_prefix(recipe)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(", ") }
}

/// The kinds of faults, without their numbers.
fn faults(scenario: &Scenario) -> String {
    let kinds: Vec<String> = named_faults(scenario.budget()).into_iter().map(|(kind, _)| kind).collect();
    if kinds.is_empty() { NONE.into() } else { kinds.join(" and ") }
}

/// Bounds, what else is particular, and the verdict.
fn entry(recipe: &str, outcome: &Outcome) -> String {
    let (scenario, _) = outcome;
    let what = variant(recipe, scenario.name()).unwrap_or_default();
    let particular = what.split(", ").filter(|part| !part.is_empty() && !part.contains(|c: char| c.is_ascii_digit()));
    let mut label = vec![scenario.bounds()];
    label.extend(particular.map(str::to_owned));
    format!("{}: {}", plain(&label.join(", ")), verdict_cell(outcome))
}
