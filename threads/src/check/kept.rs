//! What is kept of the programs: a line of the manifest for each, and the trace of each that must break.

use overtake_models::manifest::Entry;
use overtake_models::trace::Trace;

use super::outcome::{Outcome, Verdict};
use super::search::{Engine, Limits, search};
use super::shrink::{Shrunk, shrink};
use super::stage::Program;

/// The search that the manifest speaks of: every order, those that differ in nothing but unrelated operations once.
pub const KEPT: Engine = Engine::Systematic;

/// The limits of the searches whose results are kept.
pub fn kept_limits() -> Limits {
    Limits { executions: 200_000, ..Limits::default() }
}

/// Searches as the manifest speaks of it.
pub fn search_kept(program: &Program) -> Outcome {
    search(KEPT, program, kept_limits())
}

/// The line of a program in the manifest: its name, the engine, what is expected, and how many executions and decisions the
/// search took, with those of the longest execution. Of a program that must break, only the number of the execution that
/// breaks it is kept, and the steps of its story as found.
///
/// # Errors
/// A sentence, when the outcome is not as expected.
pub fn entry(program: &Program, outcome: &Outcome) -> Result<Entry, String> {
    outcome.as_expected(program).map_err(|why| format!("{:?}: {why}", program.name()))?;
    let story = outcome.trace();
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Ok(Entry {
        name: program.name().into(),
        bounds: KEPT.name(),
        expected: program.expects(),
        states: Some(number(outcome.executions)),
        transitions: story.is_none().then(|| number(outcome.steps)),
        depth: story.map_or(outcome.longest, |trace| trace.steps.len()),
    })
}

/// Executions for the search for a story with fewer preemptions.
const TO_SHRINK: u64 = 20_000;

/// The story of an outcome, made small.
pub fn small_story(program: &Program, outcome: &Outcome, limits: &Limits) -> Option<Shrunk> {
    match &outcome.verdict {
        Verdict::Falsified(trace) => Some(made_small(program, trace, limits)),
        _ => None,
    }
}

/// A trace, made small.
pub fn made_small(program: &Program, trace: &Trace, limits: &Limits) -> Shrunk {
    shrink(program, trace, Limits { executions: TO_SHRINK, ..limits.clone() })
}
