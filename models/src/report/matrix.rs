//! The recipes under each kind of fault.

use super::text::{Table, plain};
use super::{Outcome, must_break, reports, verdict_cell};
use crate::check::named_faults;
use crate::scenario::Scenario;

const ABOUT: &str = "\
## Recipes and faults

Each cell lists the scenarios of a recipe under one kind of fault, with the verdict and the exact number of states.
";

const ABOUT_DATA: &str = "\
### Programs on data and faults

Each row is a family of programs on hash tables, documents, queues and a search endpoint. In a cell stand the right programs of the family
under one kind of fault, and beneath each the faulty ones that it repairs, after an arrow.
";

/// The matrix.
pub(super) fn section(results: &[Outcome]) -> String {
    let (data, locks): (Vec<&Outcome>, Vec<&Outcome>) =
        results.iter().filter(|(s, _)| !reports::is_report(s)).partition(|(s, _)| s.has_stores());
    let (locks, data) = (of_locks(&locks), of_data(&data));
    match (locks.is_empty(), data.is_empty()) {
        (true, true) => String::new(),
        (false, true) => format!("{ABOUT}\n{locks}"),
        (true, false) => format!("{ABOUT}\n{data}"),
        (false, false) => format!("{ABOUT}\n{locks}\n{data}"),
    }
}

/// Families of scenarios with stores that are made from no report, in the order of their first ones: the name, and the scenarios as they
/// stand beneath each other. Each scenario is in one family, once.
pub fn families(scenarios: &[Scenario]) -> Vec<(String, Vec<&Scenario>)> {
    let mut families: Vec<(String, Vec<&Scenario>)> = Vec::new();
    for scenario in scenarios.iter().filter(|s| s.has_stores() && !reports::is_report(s)) {
        let name = family(scenario, scenarios);
        match families.iter_mut().find(|(known, _)| *known == name) {
            Some((_, members)) => members.push(scenario),
            None => families.push((name, vec![scenario])),
        }
    }
    for (_, members) in &mut families {
        *members = beneath(members);
    }
    families
}

/// What a scenario belongs to: what it says, what its repair belongs to, or what its name begins with.
fn family(scenario: &Scenario, all: &[Scenario]) -> String {
    if let Some(name) = scenario.belongs_to() {
        return name.to_owned();
    }
    let repair = scenario.repair().and_then(|name| all.iter().find(|other| other.name() == name));
    match repair {
        // A chain of repairs ends in what is proved.
        Some(repair) if repair.name() != scenario.name() && must_break(scenario) => family(repair, all),
        _ => scenario.name().split([':', ',']).next().unwrap_or_default().to_owned(),
    }
}

/// The right ones in their order, each followed by what it repairs; at the end those whose repair is elsewhere.
fn beneath<'a>(members: &[&'a Scenario]) -> Vec<&'a Scenario> {
    let (faulty, right): (Vec<&Scenario>, Vec<&Scenario>) = members.iter().partition(|s| must_break(s));
    let mut sorted = Vec::new();
    for one in &right {
        sorted.push(*one);
        sorted.extend(faulty.iter().filter(|other| other.repair() == Some(one.name())));
    }
    let placed: Vec<&str> = sorted.iter().map(|s| s.name()).collect();
    let left: Vec<&Scenario> = faulty.into_iter().filter(|other| !placed.contains(&other.name())).collect();
    sorted.extend(left);
    sorted
}

/// The families of data, with what became of each scenario.
fn of_data(results: &[&Outcome]) -> String {
    let scenarios: Vec<Scenario> = results.iter().map(|outcome| outcome.0.clone()).collect();
    let families = families(&scenarios);
    let mut columns: Vec<String> = Vec::new();
    for scenario in &scenarios {
        let faults = faults(scenario);
        if !columns.contains(&faults) {
            columns.push(faults);
        }
    }
    if columns.is_empty() {
        return String::new();
    }
    columns.sort_by_key(|column| usize::from(*column != NONE) * (1 + column.matches(" and ").count()));
    let head = ["programs"].into_iter().chain(columns.iter().map(String::as_str));
    let mut table = Table::new(head, &[]);
    for (name, members) in &families {
        let mut row = vec![format!("**{}**", plain(name))];
        for column in &columns {
            let here: Vec<&&Scenario> = members.iter().filter(|scenario| faults(scenario) == *column).collect();
            let entry = |scenario: &&&Scenario| {
                let outcome =
                    results.iter().find(|(other, _)| other.name() == scenario.name()).expect("it is one of them");
                let arrow = if must_break(scenario) { "→ " } else { "" };
                format!("{arrow}{}: {}", plain(&label(name, scenario)), verdict_cell(outcome))
            };
            let entries: Vec<String> = here.iter().map(entry).collect();
            row.push(if entries.is_empty() { "–".into() } else { entries.join("<br>") });
        }
        table.row(row);
    }
    format!("{ABOUT_DATA}\n{}", table.text())
}

/// The name without that of the family, and the bounds.
fn label(family: &str, scenario: &Scenario) -> String {
    let name = scenario.name();
    let own = name.strip_prefix(family).map_or(name, |rest| rest.trim_start_matches([':', ',', ' ']));
    match own {
        "" => scenario.bounds(),
        own => format!("{own} ({})", scenario.bounds()),
    }
}

/// Recipes that have variants, with what became of each.
fn of_locks(results: &[&Outcome]) -> String {
    let recipes: Vec<&str> = results.iter().filter(|o| is_recipe(results, o)).map(|(s, _)| s.name()).collect();
    let cases: Vec<(&str, String, &Outcome)> = results
        .iter()
        .filter_map(|outcome| {
            let recipe = recipes.iter().copied().find(|recipe| variant(recipe, outcome.0.name()).is_some())?;
            Some((recipe, faults(&outcome.0), *outcome))
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
    table.text()
}

const NONE: &str = "no faults";

/// Whether others are variants of this scenario, which must hold.
fn is_recipe(results: &[&Outcome], (scenario, _): &Outcome) -> bool {
    let others = || results.iter().filter(|(other, _)| other.name() != scenario.name());
    !must_break(scenario)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::scenario;
    use overtake_sim::stores::{Dht, Stores};

    fn on_data(name: &str) -> Scenario {
        scenario(name).stores(Stores { dht: Some(Dht::seed(1)), ..Stores::default() })
    }

    #[test]
    fn faulty_programs_stand_beneath_their_repair() {
        let all = [
            on_data("group by plain SET").breaks("p").fixed_by("group by compare-and-set"),
            on_data("group by compare-and-set").family("groups"),
            on_data("lease: alone").breaks("p").kept_within_bounds_of("lease: kept"),
            on_data("group, nobody dies").family("groups"),
            on_data("lease: kept"),
            on_data("LU-01 a report"),
            scenario("predecessor lock"),
            on_data("a lost cause").breaks("p"),
        ];
        let families = families(&all);
        let named: Vec<(&str, Vec<&str>)> = families
            .iter()
            .map(|(name, members)| (name.as_str(), members.iter().map(|s| s.name()).collect()))
            .collect();
        assert_eq!(
            named,
            [
                ("groups", vec!["group by compare-and-set", "group by plain SET", "group, nobody dies"]),
                ("lease", vec!["lease: kept", "lease: alone"]),
                ("a lost cause", vec!["a lost cause"]),
            ]
        );
        assert_eq!(label("lease", &all[2]), "alone (0 clients)");
    }
}
