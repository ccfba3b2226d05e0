//! Replaying and shrinking the traces of programs of threads.

use std::path::Path;

use overtake_models::Trace;
use overtake_threads::check::{Limits, Otherwise, Program, Replayed, made_small, replay_otherwise};

use super::super::CommandLine;
use super::super::exit::{Exit, Failure, Outcome};
use super::super::files;
use super::super::screen::{BUG, FAINT, STRONG, field, quoted, say, styled};
use super::steps;

/// The program that a trace is of, if it is one of threads.
pub(in super::super) fn program_of<'a>(line: &'a CommandLine, trace: &Trace) -> Option<&'a Program> {
    line.threads.iter().find(|program| program.name() == trace.scenario)
}

/// Replays a trace; answers how it ended, in a sentence. `go_on`: where a step cannot be taken, or when there are none left,
/// it goes on in some way.
pub(in super::super) fn replay(
    program: &Program,
    trace: &Trace,
    file: &Path,
    go_on: bool,
    json: bool,
) -> Outcome<(Exit, String)> {
    let in_file = |why: String| format!("{}: {why}", file.display());
    if trace.clients > 0 || !trace.faults.is_empty() || !trace.cycle.is_empty() {
        let why =
            "a trace of threads has no clients, no budget of faults and no steps that repeat; take those lines out";
        return Err(Failure::bad_input(in_file(why.into())));
    }
    let otherwise = if go_on { Otherwise::GoOn } else { Otherwise::Stop };
    let (replayed, taken) = replay_otherwise(program, trace, otherwise);
    if !json && !matches!(replayed, Replayed::Stale { .. }) {
        say(styled(STRONG, &trace.title))?;
        say(styled(FAINT, format!("  {} (threads)", program.name())))?;
        steps(&taken)?;
    }
    if go_on && let Some(at) = differs(&trace.steps, &taken) {
        let became = match &replayed {
            Replayed::Violates => "the same is violated all the same".into(),
            Replayed::Otherwise(violation) => format!("{:?} is violated ({})", violation.property, violation.because),
            _ => "nothing is violated".into(),
        };
        // A stale trace is never a pass.
        let sentence = format!("stale: from step {} on it is another story; {became}", at + 1);
        return Ok((Exit::Stale, in_file(sentence)));
    }
    Ok(match replayed {
        Replayed::Violates => {
            if !json {
                say(format!("{} {}: {}", styled(BUG, "violates"), styled(STRONG, &trace.violates), trace.because))?;
            }
            (Exit::AsExpected, trace.because.clone())
        }
        Replayed::Otherwise(violation) => (
            Exit::NothingBreaks,
            in_file(format!(
                "the steps violate {:?} ({}), and the trace says {:?} ({}); correct its lines `violates:` and `because:` if \
                 that is as good",
                violation.property, violation.because, trace.violates, trace.because
            )),
        ),
        Replayed::ViolatesNothing => (
            Exit::NothingBreaks,
            in_file(format!(
                "the steps can still be taken, but they no longer violate {:?}; if the program was repaired, keep the trace \
                 with the spoilt one, or delete it",
                trace.violates
            )),
        ),
        Replayed::Stale { step, wanted, possible } => (
            Exit::Stale,
            in_file(format!(
                "stale: step {step} ({}) is no longer possible; {}; edit the step, search the program again, or go on \
                 from there with --go-on",
                if wanted.is_empty() { "the end" } else { &wanted },
                match &possible[..] {
                    [] => "it is all over before it".into(),
                    steps => format!("what can happen there: {}", steps.join("; ")),
                }
            )),
        ),
    })
}

/// The first step, from 0, in which two stories differ.
fn differs(one: &[String], other: &[String]) -> Option<usize> {
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    (same < one.len().max(other.len())).then_some(same)
}

/// Makes a trace small and writes it into the folder.
pub(in super::super) fn shrink(
    line: &CommandLine,
    program: &Program,
    trace: &Trace,
    path: &Path,
    out: &Path,
    limits: &Limits,
) -> Outcome {
    // What does not hold any more cannot be made smaller.
    let (end, sentence) = match replay_otherwise(program, trace, Otherwise::Stop).0 {
        Replayed::Violates => (Exit::AsExpected, String::new()),
        _ => replay(program, trace, path, false, true)?,
    };
    if end != Exit::AsExpected {
        return Err(Failure::new(end, sentence));
    }
    let before = trace.steps.len();
    let shrunk = made_small(program, trace, limits);
    let file = out.join(path.file_name().unwrap_or_default());
    files::write(&file, &shrunk.trace.to_string())?;
    say(styled(STRONG, path.display()))?;
    field("steps", format!("{before} → {}", shrunk.trace.steps.len()))?;
    let changes = format!("{} from one thread to another", shrunk.changes);
    field("changes", changes)?;
    let fewest = match shrunk.fewest {
        Some(fewest) => format!("{fewest}, and fewer do not do"),
        None => "not searched to the end".into(),
    };
    field("preemptions", fewest)?;
    steps(&shrunk.trace.steps)?;
    field("replay", format!("{} replay {}", line.program, quoted(&file.display().to_string())))?;
    Ok(Exit::AsExpected)
}
