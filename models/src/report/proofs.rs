//! What holds, to the last state.

use super::text::{Table, anchor, counted, grouped, odds, plain};
use super::{Outcome, is_proved, must_break, verdict_cell};

const ABOUT: &str = "\
## Proofs

Numbers of states and transitions are those of the searched space: interchangeable clients, names that differ only in
their numbers and orders of independent deliveries are counted once. Depth is the length of the longest of the shortest
paths. Wake-ups are the watch events that one step sent at most. Odds are those that any two of the states had the same
fingerprint, so that one of them was missed.
";

/// The table of all scenarios that must hold.
pub(super) fn section(results: &[Outcome]) -> String {
    let hold: Vec<&Outcome> = results.iter().filter(|(scenario, _)| !must_break(scenario)).collect();
    if hold.is_empty() {
        return String::new();
    }
    let mut table = Table::new(
        ["scenario", "bounds", "verdict", "states", "transitions", "depth", "wake-ups", "odds"],
        &[3, 4, 5, 6, 7],
    );
    for outcome in &hold {
        let (scenario, checked) = outcome;
        let seen = &checked.seen;
        let name = anchor(scenario.name()) + &plain(scenario.name());
        let mut row = vec![name, scenario.bounds()];
        if is_proved(checked) {
            let depth = if seen.depth == 0 { "–".into() } else { grouped(seen.depth) };
            row.extend(["proved".into(), grouped(seen.states), grouped(seen.transitions), depth]);
            row.extend([seen.notified.to_string(), odds(checked.collision_odds)]);
        } else {
            // The numbers of a search that ended early depend on the number of threads.
            row.push(verdict_cell(outcome));
            row.extend(std::iter::repeat_n("–".to_owned(), 5));
        }
        table.row(row);
    }
    let proved = hold.iter().filter(|(_, checked)| is_proved(checked)).count();
    let count = match hold.len() - proved {
        0 => format!("{} of {}", proved, counted(hold.len(), "scenario", "scenarios")),
        n => format!("{} of {}, **{n} not**", proved, counted(hold.len(), "scenario", "scenarios")),
    };
    format!("{ABOUT}\nProved: {count} that must hold.\n\n{}", table.text())
}
