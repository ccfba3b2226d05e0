//! The report: what was proved, what breaks, and how, as a page in Markdown.
//!
//! The page says nothing about time, memory or threads, and shows numbers of states only where they are the same in
//! every run: of proofs, and of searches that ended early as [`check_for_expected`](crate::manifest::check_for_expected)
//! ends them, on one thread. So the same scenarios make the same page, to the last letter.

mod findings;
mod matrix;
mod mutations;
mod proofs;
mod reports;
mod text;

use crate::check::{Checked, Finding, Verdict};
use crate::manifest::{as_expected, expected_finding};
use crate::scenario::{Expected, Scenario};
use text::{counted, down};

pub use matrix::families;
pub use text::{grouped, origin, plain};

type Outcome = (Scenario, Checked);

const ABOUT: &str = "\
# Report

Overtake runs the programs of clients, over ZooKeeper and over stores for data, through every order of events that the
servers, the wires and the stated faults allow. *Proved* means: every state within the bounds was visited, every
property holds in all of them, and everything that must happen somewhere does. *Falsified* means: a property is
violated, and below is the shortest story of how.

This page is generated, and the same on every run and machine, but for the seconds under
*Threads*, *Times*. The command that writes it anew:

```sh
cargo run --release -- report --write
```
";

/// The report of some checks, in their order. Use
/// [`check_for_expected`](crate::manifest::check_for_expected) with one thread for each check, so that the page is the
/// same in every run: where which of several equivalent states is found first decides which of them is kept, more
/// threads can count other numbers of states.
pub fn render(results: &[Outcome]) -> String {
    let sections = [
        summary(results),
        unexpected(results),
        matrix::section(results),
        proofs::section(results),
        reports::section(results),
        mutations::section(results),
        findings::section(results),
    ];
    let mut page = ABOUT.to_owned();
    for section in sections.iter().filter(|section| !section.is_empty()) {
        page.push('\n');
        page += section;
    }
    page
}

fn summary(results: &[Outcome]) -> String {
    let number = |word| results.iter().filter(|(_, checked)| checked.verdict.word() == word).count();
    let proved = results.iter().filter(|(_, checked)| is_proved(checked));
    let states: usize = proved.map(|(_, checked)| checked.seen.states).sum();
    let mut parts = vec![
        format!("{} proved ({} states in all)", number("proved"), grouped(states)),
        format!("{} falsified", number("falsified")),
    ];
    let other = results.len() - number("proved") - number("falsified");
    if other > 0 {
        parts.push(format!("**{other} undecided**"));
    }
    let wrong = results.iter().filter(|(scenario, checked)| as_expected(scenario, checked).is_err()).count();
    parts.push(match wrong {
        0 => "all as expected".into(),
        n => format!("**{n} NOT AS EXPECTED**"),
    });
    format!("{}: {}.\n", counted(results.len(), "scenario", "scenarios"), parts.join(", "))
}

/// The scenarios whose verdict is another than the expected one; nothing when there are none.
fn unexpected(results: &[Outcome]) -> String {
    let mut text = String::new();
    for (scenario, checked) in results {
        let Err(why) = as_expected(scenario, checked) else { continue };
        let name = plain(scenario.name());
        let name = if has_story(checked) { down(&name, &story_anchor(scenario)) } else { name };
        text += &format!("- **{name}**: {}\n", plain(&why));
    }
    if text.is_empty() { text } else { format!("## NOT AS EXPECTED\n\n{text}") }
}

fn is_proved(checked: &Checked) -> bool {
    matches!(checked.verdict, Verdict::Proved)
}

fn must_break(scenario: &Scenario) -> bool {
    matches!(scenario.expected(), Expected::Falsified(_))
}

fn has_story(checked: &Checked) -> bool {
    matches!(checked.verdict, Verdict::Falsified(_))
}

/// The findings that are told: the expected one, or all when it is not there.
fn told<'a>(scenario: &Scenario, checked: &'a Checked) -> Vec<&'a Finding> {
    match (&checked.verdict, expected_finding(scenario, checked)) {
        (_, Some(expected)) => vec![expected],
        (Verdict::Falsified(findings), None) => findings.iter().collect(),
        _ => Vec::new(),
    }
}

/// The name of the anchor of a story.
fn story_anchor(scenario: &Scenario) -> String {
    format!("story of {}", scenario.name())
}

/// A verdict in a cell, linking down to the proof or the story; loud when it is not the expected one.
fn verdict_cell((scenario, checked): &Outcome) -> String {
    let word = match &checked.verdict {
        Verdict::Proved => format!("proved, {}", counted(checked.seen.states, "state", "states")),
        other => other.word().to_owned(),
    };
    let as_expected = as_expected(scenario, checked).is_ok();
    let word = if as_expected { word } else { format!("NOT AS EXPECTED: {}", word.to_uppercase()) };
    let link = match &checked.verdict {
        Verdict::Proved if !must_break(scenario) => down(&word, scenario.name()),
        Verdict::Falsified(_) => down(&word, &story_anchor(scenario)),
        _ => word,
    };
    if as_expected { link } else { format!("**{link}**") }
}

/// The length of a story: its steps, and those that then repeat for ever.
fn length(finding: &Finding) -> (usize, Option<usize>) {
    let cycle = finding.cycle;
    (finding.taken.len() - cycle, (cycle > 0).then_some(cycle))
}

/// The length of a story in a cell.
fn length_cell(finding: &Finding) -> String {
    let (steps, cycle) = length(finding);
    grouped(steps) + &cycle.map_or(String::new(), |cycle| format!(", then {} for ever", grouped(cycle)))
}

/// The repaired program of a scenario, and what became of it.
fn repaired(results: &[Outcome], scenario: &Scenario) -> String {
    let Some(name) = scenario.repair() else { return "–".into() };
    match results.iter().find(|(other, _)| other.name() == name) {
        Some(found) => verdict_cell(found),
        None => format!("{}: not run", plain(name)),
    }
}
