//! The chapter of the report on data: which mistakes are found again, and how often.

use overtake_models::manifest::{check_for_expected, expected_finding};
use overtake_models::search::Limits;
use overtake_models::throughput::Chapter;
use overtake_models::{Expected, Options, Scenario, Verdict};

use crate::reports::{DISPUTED, PATTERNS, REPORTS, TRAPS};

const ABOUT: &str = "\
## Mistakes behind the reports on data

The public reports on data are few mistakes in many clothes. A report counts for its pattern when the search has found the violation that
the report names, by itself, and the repaired program is proved within the same bounds. A *trap* is a repair that was tried, or comes to mind,
and does not repair: it must break, too. Where the report's thread holds one, the report counts only with it.

A report is *disputed* when what it asks for is not kept by the repair that it names. It is modelled, and its programs end as they are expected to;
but since property or repair had to be changed for that, it does not count.
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
    /// Traps of the report's thread, all of which must be refuted.
    pub traps_of_the_thread: usize,
    /// Scenarios that ended otherwise than expected, or whose repair is missing or has other bounds.
    pub wrong: usize,
    /// Property or repair is not the one that the report names.
    pub disputed: bool,
}

impl Found {
    /// Whether the report counts as found again.
    pub fn counts(&self) -> bool {
        !self.disputed
            && self.caught > 0
            && self.proved > 0
            && self.traps >= self.traps_of_the_thread
            && self.wrong == 0
    }
}

/// Whether the repair of a scenario that breaks is there, is to be proved, and has the same bounds.
fn is_repaired_within_its_bounds(scenario: &Scenario, all: &[Scenario]) -> bool {
    let repair = scenario.repair().and_then(|name| all.iter().find(|other| other.name() == name));
    repair.is_some_and(|repair| repair.bounds() == scenario.bounds() && *repair.expected() == Expected::Proved)
}

/// Checks the scenarios of a report.
///
/// # Errors
/// A sentence, when a scenario makes no world.
pub fn found(id: &str, scenarios: &[Scenario]) -> Result<Found, String> {
    let traps_of_the_thread = TRAPS.iter().find(|(report, _)| *report == id).map_or(0, |(_, traps)| *traps);
    let disputed = DISPUTED.iter().any(|(report, _)| *report == id);
    let mut found = Found { traps_of_the_thread, disputed, ..Found::default() };
    let options = Options { limits: Limits { threads: 1, ..Limits::default() }, ..Options::default() };
    for scenario in scenarios {
        let checked = check_for_expected(scenario, &options)?;
        let trap = scenario.name().contains(", trap");
        match (scenario.expected(), &checked.verdict) {
            (Expected::Proved, Verdict::Proved) => found.proved += 1,
            (Expected::Falsified(_), _)
                if expected_finding(scenario, &checked).is_some()
                    && is_repaired_within_its_bounds(scenario, scenarios) =>
            {
                match trap {
                    true => found.traps += 1,
                    false => found.caught += 1,
                }
            }
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
        outcomes.push((*id, *pattern, found(id, &scenarios())?));
    }
    let counting = || outcomes.iter().filter(|(_, _, found)| found.counts());
    let patterns = PATTERNS.iter().filter(|(pattern, _)| counting().any(|(_, p, _)| p == pattern));
    let (of_threads, own): (usize, usize) = counting().fold((0, 0), |(of_threads, own), (_, _, found)| {
        (of_threads + found.traps_of_the_thread, own + found.traps - found.traps_of_the_thread)
    });
    let disputed = outcomes.iter().filter(|(_, _, found)| found.disputed).count();
    let mut markdown = format!(
        "{ABOUT}\nReports found again: {} of {} tried, {disputed} of them disputed. Patterns: {} of {}. \
         Traps refuted: {of_threads} of the reports' threads, {own} that come to mind.\n\n",
        counting().count(),
        outcomes.len(),
        patterns.count(),
        PATTERNS.len()
    );
    markdown += "| pattern | what it is | found | reports |\n| --- | --- | ---: | --- |\n";
    for (pattern, meaning) in PATTERNS {
        let of_it = outcomes.iter().filter(|(_, p, _)| *p == pattern);
        let names: Vec<String> = of_it
            .map(|(id, _, found)| match (found.counts(), found.disputed && found.wrong == 0) {
                (true, _) => (*id).to_owned(),
                (false, true) => format!("({id})"),
                (false, false) => format!("**{id}: not found**"),
            })
            .collect();
        let counting = counting().filter(|(_, p, _)| *p == pattern).count();
        markdown += &format!("| {pattern} | {meaning} | {counting} | {} |\n", names.join(", "));
    }
    if disputed > 0 {
        markdown += "\nIn brackets, and not counted:\n\n";
        for (id, why) in DISPUTED.iter().filter(|(id, _)| outcomes.iter().any(|(tried, ..)| tried == id)) {
            markdown += &format!("- {id}: {why}\n");
        }
    }
    Ok(Chapter { markdown, pictures: Vec::new() })
}
