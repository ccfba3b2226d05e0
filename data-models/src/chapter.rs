//! The chapter of the report on data: which mistakes are found again, and how often.

use overtake_models::manifest::{check_for_expected, expected_finding};
use overtake_models::search::Limits;
use overtake_models::throughput::Chapter;
use overtake_models::{Expected, Options, Scenario, Verdict};

use crate::reports::{PATTERNS, REPORTS};

const ABOUT: &str = "\
## Mistakes behind the reports on data

The public reports on data are few mistakes in many clothes. A report counts for its pattern when the search has found the violation that
the report names, by itself, and the repaired program is proved within the same bounds. A *trap* is a repair that was tried, or comes to mind,
and does not repair: it must break, too.
";

/// What became of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Faulty programs that were caught.
    pub caught: usize,
    /// Repaired programs that were proved.
    pub proved: usize,
    /// Traps that were refuted.
    pub traps: usize,
    /// Scenarios that ended otherwise than expected.
    pub wrong: usize,
}

impl Found {
    /// Whether the report counts as found again.
    pub fn counts(&self) -> bool {
        self.caught > 0 && self.proved > 0 && self.wrong == 0
    }
}

/// Checks the scenarios of a report.
///
/// # Errors
/// A sentence, when a scenario makes no world.
pub fn found(scenarios: &[Scenario]) -> Result<Found, String> {
    let mut found = Found::default();
    let options = Options { limits: Limits { threads: 1, ..Limits::default() }, ..Options::default() };
    for scenario in scenarios {
        let checked = check_for_expected(scenario, &options)?;
        let trap = scenario.name().contains(", trap");
        match (scenario.expected(), &checked.verdict) {
            (Expected::Proved, Verdict::Proved) => found.proved += 1,
            (Expected::Falsified(_), _) if expected_finding(scenario, &checked).is_some() => match trap {
                true => found.traps += 1,
                false => found.caught += 1,
            },
            _ => found.wrong += 1,
        }
    }
    Ok(found)
}

/// The chapter. The same bytes in every run.
///
/// # Errors
/// A sentence, when a scenario makes no world.
pub fn chapter(_: &str) -> Result<Chapter, String> {
    let mut outcomes = Vec::new();
    for (id, pattern, scenarios) in REPORTS {
        outcomes.push((*id, *pattern, found(&scenarios())?));
    }
    let counting = outcomes.iter().filter(|(_, _, found)| found.counts()).count();
    let patterns = PATTERNS.iter().filter(|(pattern, _)| outcomes.iter().any(|(_, p, f)| p == pattern && f.counts()));
    let traps: usize = outcomes.iter().map(|(_, _, found)| found.traps).sum();
    let mut markdown = format!(
        "{ABOUT}\nReports found again: {counting} of {} tried. Patterns: {} of {}. Traps refuted: {traps}.\n\n",
        outcomes.len(),
        patterns.count(),
        PATTERNS.len()
    );
    markdown += "| pattern | what it is | found | reports |\n| --- | --- | ---: | --- |\n";
    for (pattern, meaning) in PATTERNS {
        let of_it = outcomes.iter().filter(|(_, p, _)| *p == pattern);
        let names: Vec<String> = of_it
            .map(|(id, _, found)| if found.counts() { (*id).to_owned() } else { format!("**{id}: not found**") })
            .collect();
        let counting = outcomes.iter().filter(|(_, p, found)| *p == pattern && found.counts()).count();
        markdown += &format!("| {pattern} | {meaning} | {counting} | {} |\n", names.join(", "));
    }
    Ok(Chapter { markdown, pictures: Vec::new() })
}
