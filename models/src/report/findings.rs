//! Each finding as a story.

use super::text::{anchor, counted, html, origin, plain, typed};
use super::{Outcome, has_story, length, story_anchor, told};
use crate::check::{Checked, Finding, Verdict};
use crate::manifest::expected_finding;
use crate::story::{mermaid, opening, sentences, standing};
use crate::trace::slug;

const ABOUT: &str = "\
## Stories

The shortest way to each violation: in sentences, as a diagram, and the commands that show it again.
";

/// The stories.
pub(super) fn section(results: &[Outcome]) -> String {
    let mut text = String::new();
    for outcome in results.iter().filter(|(_, checked)| has_story(checked)) {
        text += &format!("\n{}\n\n", anchor(&story_anchor(&outcome.0)));
        for finding in told(&outcome.0, &outcome.1) {
            text += &story(outcome, finding);
        }
    }
    if text.is_empty() { text } else { format!("{ABOUT}{text}") }
}

fn told_length(finding: &Finding) -> String {
    let (steps, cycle) = length(finding);
    let steps = counted(steps, "step", "steps");
    match cycle {
        None => steps,
        Some(cycle) => format!("{steps}, then {} for ever", counted(cycle, "step", "steps")),
    }
}

/// What happens, and how things stand afterwards.
fn steps(checked: &Checked, finding: &Finding) -> String {
    let (world, taken) = (&checked.world, &finding.taken);
    let mut text = format!("{}\n\n", plain(&opening(world)));
    if taken.is_empty() {
        text += "It is so before the server does anything.\n";
    }
    for (at, sentence) in sentences(world, taken, finding.cycle).iter().enumerate() {
        text += &format!("{}. {}\n", at + 1, plain(sentence));
    }
    let facts = standing(world, taken);
    if !facts.is_empty() {
        text += "\nIn the end:\n\n";
        facts.iter().for_each(|fact| text += &format!("- {}\n", plain(fact)));
    }
    text
}

fn story((scenario, checked): &Outcome, finding: &Finding) -> String {
    let expected = expected_finding(scenario, checked).is_some();
    let loud = if expected { "" } else { "NOT AS EXPECTED: " };
    let mut text = format!(
        "<details>\n<summary>{loud}<b>{}</b>: {} ({})</summary>\n\n",
        html(scenario.name()),
        html(finding.property),
        told_length(finding)
    );
    if !scenario.paragraph().is_empty() {
        text += &format!("{}\n\n", plain(scenario.paragraph()));
    }
    text += &format!("Bounds: {}.", scenario.bounds());
    if !scenario.origin().is_empty() {
        text += &format!(" Source: {}.", origin(scenario.origin()));
    }
    text += &format!("\n\n**Violated: {}.** {}\n\n", plain(finding.property), plain(&finding.because));
    text += &steps(checked, finding);
    let diagram = mermaid(&checked.world, &finding.taken, finding.cycle);
    text += &format!("\n```mermaid\n{}\n```\n\n", diagram.trim());
    if let Verdict::Falsified(all) = &checked.verdict
        && expected
    {
        let others = all.iter().filter(|other| other.property != finding.property);
        let others: Vec<String> = others.map(|o| format!("{} ({})", plain(o.property), told_length(o))).collect();
        if !others.is_empty() {
            text += &format!("Violated too: {}.\n\n", others.join(", "));
        }
    }
    text += &format!("```sh\ncargo run --release -- check {}\n", typed(scenario.name()));
    if expected {
        text += &format!("cargo run --release -- replay tests/corpus/{}.trace\n", slug(scenario.name()));
    }
    text + "```\n\n</details>\n"
}
