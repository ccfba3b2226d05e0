//! Every faulty program, and what caught it.

use super::text::{Table, counted, down, grouped, plain};
use super::{Outcome, length_cell, must_break, repaired, story_anchor};
use crate::manifest::expected_finding;

const ABOUT: &str = "\
## Mutations

Every faulty program differs from a right one in one thing. One that no property catches would be a hole in the
properties; it would stand here in bold. States are those that one thread had seen when the violation was found.
";

/// The table of all programs that must break.
pub(super) fn section(results: &[Outcome]) -> String {
    let faulty: Vec<&Outcome> = results.iter().filter(|(scenario, _)| must_break(scenario)).collect();
    if faulty.is_empty() {
        return String::new();
    }
    let mut table = Table::new(
        ["faulty program", "bounds", "caught by", "steps", "states until found", "fixed by", "which is"],
        &[3, 4],
    );
    let mut survivors = 0;
    for (scenario, checked) in &faulty {
        let name = plain(scenario.name());
        let mut row = match expected_finding(scenario, checked) {
            Some(finding) => vec![
                down(&name, &story_anchor(scenario)),
                scenario.bounds(),
                plain(finding.property),
                length_cell(finding),
                grouped(checked.seen.states),
            ],
            None => {
                survivors += 1;
                let fate = format!("**SURVIVES: {}**", checked.verdict.word());
                vec![format!("**{name}**"), scenario.bounds(), fate, "–".into(), "–".into()]
            }
        };
        let smaller = if scenario.only_bounds_help() { " (smaller bounds)" } else { "" };
        row.extend([plain(scenario.repair().unwrap_or("–")) + smaller, repaired(results, scenario)]);
        table.row(row);
    }
    let count = match survivors {
        0 => "every one is caught".into(),
        n => format!("**{} and must not**", counted(n, "survives", "survive")),
    };
    format!("{ABOUT}\n{}: {count}.\n\n{}", counted(faulty.len(), "faulty program", "faulty programs"), table.text())
}
