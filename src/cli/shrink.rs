//! `shrink`: findings become small.

use std::path::{Path, PathBuf};

use overtake_models::search::Limits;
use overtake_models::shrink::{Stage, shrink as shrink_now};
use overtake_models::story::{opening, sentences, standing};

use super::exit::{Exit, Failure, Outcome};
use super::screen::{BAD, FAINT, GOOD, STRONG, field, quoted, say, styled};
use super::{CommandLine, files, interrupts, threads};
use crate::guard::guarded;
use crate::traces::bounded_as;

/// What each stage did.
pub(super) fn stages(stages: &[Stage]) -> Outcome<()> {
    stages.iter().try_for_each(|stage| {
        let proved = match stage.proved {
            true => styled(GOOD, "minimal"),
            false => styled(BAD, "not proved minimal"),
        };
        field(stage.what, format!("{} → {}, {proved}: {}", stage.before, stage.after, stage.because))
    })
}

pub(super) fn shrink(line: &CommandLine, traces: &[PathBuf], out: &Path, memory: usize) -> Outcome {
    let limits = Limits { memory, ..Limits::default() };
    interrupts(&limits.stop);
    for path in traces {
        let trace = files::read_trace(path)?;
        if let Some(program) = threads::program_of(line, &trace) {
            let limits = overtake_threads::check::Limits { stop: limits.stop.clone(), ..Default::default() };
            threads::shrink(line, program, &trace, path, out, &limits)?;
            continue;
        }
        let scenario = bounded_as(&line.scenarios, &trace).map_err(Failure::bad_input)?;
        let repair = line.scenarios.iter().find(|s| scenario.repair() == Some(s.name()));
        let shrunk = guarded(|| shrink_now(&scenario, repair, &trace, &limits))
            .map_err(|why| Failure::bad_input(format!("{}: {why}", path.display())))?;
        if limits.stop.load(std::sync::atomic::Ordering::Relaxed) {
            return Ok(Exit::Interrupted);
        }
        let name = path.file_name().unwrap_or_default();
        let file = out.join(name);
        files::write(&file, &shrunk.trace.to_string())?;
        say(styled(STRONG, path.display()))?;
        stages(&shrunk.stages)?;
        say(format!("  {} {}", styled(FAINT, "    "), opening(&shrunk.world)))?;
        for (at, sentence) in sentences(&shrunk.world, &shrunk.taken, shrunk.cycle).iter().enumerate() {
            say(format!("  {} {sentence}", styled(FAINT, format!("{:>3}.", at + 1))))?;
        }
        for fact in standing(&shrunk.world, &shrunk.taken) {
            say(format!("  {} {fact}", styled(FAINT, "    ")))?;
        }
        field("replay", format!("{} replay {}", line.program, quoted(&file.display().to_string())))?;
    }
    Ok(Exit::AsExpected)
}
