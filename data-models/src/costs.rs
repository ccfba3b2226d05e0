//! What operations on groups cost in calls: counted by the table while one client does them alone.

use overtake_models::Scenario;
use overtake_models::space::{Space, Worker, WorldSpace};
use overtake_sim::world::Reductions;

use crate::property::hash_table;
use crate::scenarios::{groups_reading, groups_two};

/// An operation, the ways of doing it, and the calls of each.
pub type Row = (&'static str, Vec<usize>);

/// More steps than any of these scenarios takes.
const MOST_STEPS: usize = 10_000;

const ABOUT: &str = "\
## Costs in calls

One client alone does the operation; the table counts its calls. Each number is a property of a scenario that is proved.
";

/// Calls of the only client of a scenario, when it is done.
///
/// # Errors
/// A sentence, when the scenario makes no world or does not come to an end.
pub fn calls(scenario: &Scenario) -> Result<usize, String> {
    let world = scenario.world()?;
    let space = WorldSpace::new(&world, Reductions::NONE, &[]);
    let mut worker = space.worker();
    let mut row = worker.initial().swap_remove(0);
    for _ in 0..MOST_STEPS {
        let mut next = None;
        worker.expand(&row, |_, _, state| {
            next.get_or_insert_with(|| state.to_vec());
        });
        match next {
            Some(next) => row = next,
            None => return Ok(hash_table(&world.view(&row)).calls(0)),
        }
    }
    Err(format!("{} goes on for more than {MOST_STEPS} steps", scenario.name()))
}

fn rows<const N: usize>(costs: Vec<(&'static str, [Scenario; N])>) -> Result<Vec<Row>, String> {
    let row = |(name, scenarios): (&'static str, [Scenario; N])| {
        Ok((name, scenarios.iter().map(calls).collect::<Result<_, String>>()?))
    };
    costs.into_iter().map(row).collect()
}

/// Two groups that change together: calls of an add and of a read.
///
/// # Errors
/// As [`calls`].
pub fn two_groups() -> Result<Vec<Row>, String> {
    rows(groups_two::costs())
}

/// A group of four on three nodes: calls to read its items, and to change an article that is in two groups.
///
/// # Errors
/// As [`calls`].
pub fn one_group() -> Result<Vec<Row>, String> {
    rows(groups_reading::costs())
}

fn table(head: &[&str], rows: &[Row]) -> String {
    let mut table = format!("| {} |\n|{}\n", head.join(" | "), " --- |".to_owned() + &" ---: |".repeat(head.len() - 1));
    for (name, calls) in rows {
        let calls: Vec<String> = calls.iter().map(ToString::to_string).collect();
        table += &format!("| {name} | {} |\n", calls.join(" | "));
    }
    table
}

/// The tables, as a part of the report's chapter.
///
/// # Errors
/// As [`calls`].
pub fn markdown() -> Result<String, String> {
    Ok(format!(
        "{ABOUT}\nA group of four items on three nodes, and an article that is in two groups. Copies make reading cheap and changing dear:\n\n{}\n\
         Two groups that change together. Compare-and-set on each is no cure; it is what the cures are compared with:\n\n{}",
        table(&["the group holds", "read all", "change an article"], &one_group()?),
        table(&["way", "add to both", "read both"], &two_groups()?),
    ))
}
