//! `linearizable`: whether a recorded history is what one object, used by one process at a time, could have answered.

use std::path::Path;

use overtake_data_models::linear::{Argument, Model, Outcome as Found, check_file};
use serde_json::json;

use super::exit::{Exit, Failure, Outcome};
use super::screen::{BAD, BUG, GOOD, grouped, say, styled};

pub(super) fn linearizable(file: &Path, model: Model, most: usize, as_json: bool) -> Outcome {
    let verdict = check_file(file, model, most).map_err(Failure::bad_input)?;
    let (exit, word) = match &verdict.outcome {
        Found::Holds => (Exit::AsExpected, "linearizable"),
        Found::Violated(_) => (Exit::Falsified, "not linearizable"),
        Found::Undecided => (Exit::Held, "undecided"),
    };
    if as_json {
        say(json!({
            "file": file.display().to_string(),
            "model": verdict.model.name(),
            "verdict": word,
            "calls": verdict.operations,
            "unanswered": verdict.unanswered,
            "objects": verdict.objects,
            "configurations": verdict.configurations,
            "argument": verdict.violation().map(argument),
            "exit": exit as u8,
        }))?;
        return Ok(exit);
    }
    let style = match exit {
        Exit::AsExpected => GOOD,
        Exit::Falsified => BUG,
        _ => BAD,
    };
    let mut counts = format!("{} calls", grouped(verdict.operations));
    if verdict.unanswered > 0 {
        counts += &format!(", {} of them never answered", grouped(verdict.unanswered));
    }
    if verdict.objects > 1 {
        counts += &format!(", on {} keys", grouped(verdict.objects));
    }
    let configurations = grouped(verdict.configurations);
    say(format!("{} as a {}: {counts}; {configurations} configurations tried", styled(style, word), model.name()))?;
    match &verdict.outcome {
        Found::Holds => {}
        Found::Violated(argument) => say(argument)?,
        Found::Undecided => {
            say(
                "No order was found, and not all were tried: calls that are never answered make many; try --configurations",
            )?;
        }
    }
    Ok(exit)
}

fn argument(argument: &Argument) -> serde_json::Value {
    json!({
        "key": argument.key,
        "line": argument.line,
        "call": argument.call,
        "answer": argument.answer,
        "needs": argument.needs,
        "order": argument.order,
        "open": argument.open,
        "states": argument.finals,
        "more_states": argument.more,
    })
}
