//! The chapter of the report on data: which mistakes are found again, how often, and what operations cost in calls.

use std::fmt::Write as _;

use overtake_models::manifest::{check_for_expected, expected_finding};
use overtake_models::report::{grouped, origin, plain};
use overtake_models::search::Limits;
use overtake_models::throughput::Chapter;
use overtake_models::trace::slug;
use overtake_models::{Checked, Expected, Finding, Options, Scenario, Verdict};

use crate::reports::{DISPUTED, PATTERNS, REPORTS, TRAPS};

const ABOUT: &str = "\
## Mistakes behind the reports on data

The public reports on data are few mistakes in many clothes. A report counts for its pattern when the search has found the violation that
the report names, by itself, and the repaired program is proved within the same bounds. A *trap* is a repair that was tried, or comes to mind,
and does not repair: it must break, too. Where the report's thread holds one, the report counts only with it.

A report is *disputed* when what it asks for is not kept by the repair that it names. It is modelled, and its programs end as they are expected to;
but since property or repair had to be changed for that, it does not count.
";

/// What goes wrong: the first two letters of a report's number.
pub const CLASSES: [(&str, &str); 15] = [
    ("LU", "lost update"),
    ("DI", "duplicate insert"),
    ("CA", "check, then act"),
    ("WS", "write skew"),
    ("PM", "partial update of several keys"),
    ("SR", "stale read, stale fill of a cache"),
    ("OV", "answer that overtakes"),
    ("RM", "order of messages"),
    ("AB", "ABA, version reset"),
    ("DA", "applied twice on retry"),
    ("RX", "retries used up, conflict dropped"),
    ("RW", "writer without version"),
    ("EX", "expiry between two calls"),
    ("DL", "deadlock"),
    ("LB", "read, modify, write in a library"),
];

/// The class of the report of that number.
pub fn class(id: &str) -> &'static str {
    let letters = id.split('-').next().unwrap_or_default();
    CLASSES.iter().find(|(known, _)| *known == letters).map_or("–", |(_, class)| class)
}

/// A violation that was found by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caught {
    /// The scenario.
    pub scenario: String,
    /// The report.
    pub source: String,
    /// What is violated.
    pub property: &'static str,
    /// Steps of the shortest story.
    pub steps: usize,
    /// How many of them repeat for ever.
    pub cycle: usize,
    /// States that were seen until then.
    pub states: usize,
    /// The repaired program.
    pub repair: String,
    /// Whether it is a trap: a repair that does not repair.
    pub trap: bool,
}

/// What became of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// Right programs, in which nothing may be found.
    pub controls: usize,
    /// Right programs in which a violation was told all the same.
    pub false_alarms: usize,
    /// The violations that were found.
    pub stories: Vec<Caught>,
    /// The right programs that were proved, with their states.
    pub proofs: Vec<(String, usize)>,
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
        if *scenario.expected() == Expected::Proved {
            found.controls += 1;
            found.false_alarms += usize::from(matches!(checked.verdict, Verdict::Falsified(_)));
        }
        match (scenario.expected(), &checked.verdict) {
            (Expected::Proved, Verdict::Proved) => {
                found.proved += 1;
                found.proofs.push((scenario.name().to_owned(), checked.seen.states));
            }
            (Expected::Falsified(_), _) if is_repaired_within_its_bounds(scenario, scenarios) => {
                match expected_finding(scenario, &checked) {
                    Some(finding) => found.stories.push(caught(scenario, &checked, finding, trap)),
                    None => found.wrong += 1,
                }
            }
            _ => found.wrong += 1,
        }
    }
    found.traps = found.stories.iter().filter(|story| story.trap).count();
    found.caught = found.stories.len() - found.traps;
    Ok(found)
}

fn caught(scenario: &Scenario, checked: &Checked, finding: &Finding, trap: bool) -> Caught {
    Caught {
        scenario: scenario.name().to_owned(),
        source: scenario.origin().to_owned(),
        property: finding.property,
        steps: finding.taken.len() - finding.cycle,
        cycle: finding.cycle,
        states: checked.seen.states,
        repair: scenario.repair().unwrap_or_default().to_owned(),
        trap,
    }
}

/// What was tried, and what became of it.
struct Tried {
    id: &'static str,
    pattern: &'static str,
    found: Found,
}

/// How many of those reports were tried, and how many count.
fn share<'a>(tried: impl Iterator<Item = &'a Tried>) -> (usize, usize) {
    tried.fold((0, 0), |(found, all), one| (found + usize::from(one.found.counts()), all + 1))
}

/// The chapter, with links to the pages of stories in the folder. The same bytes in every run.
///
/// # Errors
/// A sentence, when a scenario makes no world.
pub fn chapter(folder: &str) -> Result<Chapter, String> {
    let mut all = Vec::new();
    for (id, pattern, scenarios) in REPORTS {
        all.push(Tried { id, pattern, found: found(id, &scenarios())? });
    }
    let mut markdown = summary(&all);
    patterns(&mut markdown, &all);
    classes(&mut markdown, &all);
    one_by_one(&mut markdown, &all, folder);
    markdown += &format!("\n{}", crate::costs::markdown()?);
    Ok(Chapter { markdown, pictures: Vec::new() })
}

fn summary(all: &[Tried]) -> String {
    let counting = || all.iter().filter(|one| one.found.counts());
    let patterns = PATTERNS.iter().filter(|(pattern, _)| counting().any(|one| one.pattern == *pattern));
    let of_threads: usize = counting().map(|one| one.found.traps_of_the_thread).sum();
    let traps: usize = counting().map(|one| one.found.traps).sum();
    let sum = |of: fn(&Found) -> usize| all.iter().map(|one| of(&one.found)).sum::<usize>();
    format!(
        "{ABOUT}\nReports found again: {} of {} tried, {} of them disputed. Patterns: {} of {}. \
         Traps refuted: {of_threads} of the reports' threads, {} that come to mind. \
         False alarms: {} in {} right programs.\n\n",
        counting().count(),
        all.len(),
        all.iter().filter(|one| one.found.disputed).count(),
        patterns.count(),
        PATTERNS.len(),
        traps - of_threads,
        sum(|found| found.false_alarms),
        sum(|found| found.controls),
    )
}

fn patterns(markdown: &mut String, all: &[Tried]) {
    *markdown += "| pattern | what it is | found / tried | reports |\n| --- | --- | ---: | --- |\n";
    for (pattern, meaning) in PATTERNS {
        let of_it = || all.iter().filter(|one| one.pattern == pattern);
        let name = |one: &Tried| match (one.found.counts(), one.found.disputed && one.found.wrong == 0) {
            (true, _) => one.id.to_owned(),
            (false, true) => format!("({})", one.id),
            (false, false) => format!("**{}: not found**", one.id),
        };
        let names: Vec<String> = of_it().map(name).collect();
        let (found, tried) = share(of_it());
        let _ = writeln!(markdown, "| {pattern} | {meaning} | {found} / {tried} | {} |", names.join(", "));
    }
    if all.iter().any(|one| one.found.disputed) {
        *markdown += "\nIn brackets, and not counted:\n\n";
        for (id, why) in DISPUTED.iter().filter(|(id, _)| all.iter().any(|one| one.id == *id)) {
            let _ = writeln!(markdown, "- {id}: {why}");
        }
    }
}

fn classes(markdown: &mut String, all: &[Tried]) {
    *markdown += "\n### Reports on data: by class\n\n\
        A control is a right program of a report, which must be proved; a false alarm is a violation that is told in one.\n\n\
        | class | what goes wrong | found / tried | traps refuted | false alarms / controls |\n\
        | --- | --- | ---: | ---: | ---: |\n";
    for (letters, name) in CLASSES {
        let of_it = || all.iter().filter(|one| one.id.split('-').next() == Some(letters));
        let sum = |of: fn(&Found) -> usize| of_it().map(|one| of(&one.found)).sum::<usize>();
        let (found, tried) = share(of_it());
        let (traps, alarms, controls) = (sum(|f| f.traps), sum(|f| f.false_alarms), sum(|f| f.controls));
        let _ = writeln!(markdown, "| {letters} | {name} | {found} / {tried} | {traps} | {alarms} / {controls} |");
    }
}

fn one_by_one(markdown: &mut String, all: &[Tried], folder: &str) {
    *markdown += "\n### Reports on data: one by one\n\n\
        States are those that one thread had seen when the violation was found. A trap is a repair that does not repair.\n\n\
        | report | class | pattern | source | violates | steps | states until found | repaired |\n\
        | --- | --- | --- | --- | --- | ---: | ---: | --- |\n";
    for Tried { id, pattern, found } in all {
        for story in &found.stories {
            let Caught { scenario, source, property, steps, cycle, states, repair, .. } = story;
            let proof = found.proofs.iter().find(|(name, _)| name == repair);
            let repaired = proof.map_or("**not proved**".into(), |(name, states)| {
                format!("[proved, {} states](#{})", grouped(*states), slug(name))
            });
            let steps = match cycle {
                0 => grouped(*steps),
                _ => format!("{}, then {} for ever", grouped(*steps), grouped(*cycle)),
            };
            let _ = writeln!(
                markdown,
                "| [{}]({folder}/stories-data-reports.md#story-of-{}) | {} | {pattern} | {} | {} | {steps} | {} | {repaired} |",
                plain(scenario),
                slug(scenario),
                class(id),
                origin(source),
                plain(property),
                grouped(*states),
            );
        }
    }
}
