//! `replay`: traces, step by step, and whether they still violate what they say.

use std::path::{Path, PathBuf};

use overtake_models::Trace;
use overtake_models::replay::Stale;
use serde_json::{Value, json};

use super::check::tell;
use super::exit::{Exit, Failure, Outcome};
use super::files::read_trace;
use super::screen::{BAD, BUG, FAINT, STRONG, say, styled};
use super::{CommandLine, screen, threads};
use crate::guard::guarded;
use crate::traces::{Replayed, Run, replay as replay_trace};

pub(super) fn replay(line: &CommandLine, files: &[PathBuf], go_on: bool, json: bool) -> Outcome {
    let mut exit = Exit::AsExpected;
    let mut told: Vec<Value> = Vec::new();
    for (at, file) in files.iter().enumerate() {
        if at > 0 && !json {
            say("")?;
        }
        let replayed = one(line, file, go_on, json);
        let (end, sentence) = match replayed {
            Ok(end) => end,
            Err(failure) if failure.exit == Exit::CannotWrite => return Err(failure),
            Err(failure) => (failure.exit, failure.sentence),
        };
        exit = exit.worse(end);
        if json {
            told.push(json!({
                "file": file.display().to_string(),
                "outcome": outcome_word(end),
                "sentence": sentence,
            }));
        } else if end != Exit::AsExpected {
            screen::warn(format!("{} {sentence}", styled(BAD, "error:")));
        }
    }
    if json {
        say(json!({ "traces": told, "exit": exit as u8 }))?;
    }
    Ok(exit)
}

fn outcome_word(exit: Exit) -> &'static str {
    match exit {
        Exit::AsExpected => "violates",
        Exit::NothingBreaks => "does not violate",
        Exit::Stale => "stale",
        Exit::Broken => "broken",
        _ => "unreadable",
    }
}

/// Replays one file; answers how it ended, in a sentence.
fn one(line: &CommandLine, file: &Path, go_on: bool, json: bool) -> Outcome<(Exit, String)> {
    let trace = read_trace(file)?;
    if let Some(program) = threads::program_of(line, &trace) {
        return threads::replay(program, &trace, file, go_on, json);
    }
    if go_on {
        return Err(Failure::new(
            Exit::Usage,
            format!("{}: --go-on is for traces of threads; edit the trace instead", file.display()),
        ));
    }
    let in_file = |why: String| format!("{}: {why}", file.display());
    let replayed = guarded(|| replay_trace(&line.scenarios, &trace)).map_err(|why| Failure::bad_input(in_file(why)))?;
    if let (false, Replayed::Violates(run) | Replayed::ForAnotherReason(run, _) | Replayed::ViolatesNothing(run)) =
        (json, &replayed)
    {
        told(run, &trace)?;
    }
    Ok(match replayed {
        Replayed::Violates(_) => {
            if !json {
                say(format!("{} {}: {}", styled(BUG, "violates"), styled(STRONG, &trace.violates), trace.because))?;
            }
            (Exit::AsExpected, trace.because)
        }
        Replayed::ForAnotherReason(_, because) => (
            Exit::NothingBreaks,
            in_file(format!(
                "the steps violate {:?}, but for another reason than the trace gives: {because}, not {}; \
                 correct the line `because:` if that is as good",
                trace.violates, trace.because
            )),
        ),
        Replayed::ViolatesNothing(_) => (
            Exit::NothingBreaks,
            in_file(format!(
                "the steps can still be taken, but they no longer violate {:?}; \
                 if the program was repaired, keep the trace with the spoilt one, or delete it",
                trace.violates
            )),
        ),
        Replayed::Stale(stale) => (Exit::Stale, in_file(stale_sentence(&stale))),
        Replayed::Broken(why) => (Exit::Broken, in_file(why)),
    })
}

fn told(run: &Run, trace: &Trace) -> Outcome<()> {
    say(styled(STRONG, &trace.title))?;
    say(styled(FAINT, format!("  {} ({})", run.scenario.name(), run.scenario.bounds())))?;
    tell(&run.world, &run.taken, run.cycle)
}

/// Why a trace is stale, and what can be done.
pub(super) fn stale_sentence(stale: &Stale) -> String {
    let enabled = match &stale.enabled[..] {
        [] => "nothing can happen there any more".into(),
        steps => format!("what can happen there: {}", steps.join("; ")),
    };
    format!(
        "stale: step {} ({}) is no longer possible; {enabled}; edit the step, or check the scenario again",
        stale.number, stale.step
    )
}
