//! What came out of one search over schedules.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use overtake_models::Trace;
use overtake_threads::check::{Engine, Limits, Program, Verdict, search, small_story};
use serde_json::{Value, json};

use super::super::exit::{Exit, Outcome};
use super::super::files;

/// The outcome of one program.
pub(in super::super) struct Judged {
    pub name: String,
    pub expected: String,
    pub engine: String,
    /// One word.
    pub verdict: &'static str,
    /// Why it is no more than that.
    pub why: Option<String>,
    /// What is not as expected.
    pub unexpected: Option<String>,
    pub executions: u64,
    pub redundant: u64,
    pub steps: u64,
    pub longest: usize,
    pub time: Duration,
    /// What was found, and the file that it was written to.
    pub finding: Option<(Trace, PathBuf)>,
    /// With fewer preemptions than so many there is no such finding.
    pub fewest: Option<usize>,
    /// The exit code that the verdict alone stands for.
    pub verdict_exit: Exit,
    /// The exit code against what was expected.
    pub expected_exit: Exit,
}

impl Judged {
    /// Searches, and writes what is found into the folder: as it was found at once, and then made small.
    pub fn new(program: &Program, engine: Engine, limits: &Limits, as_found: bool, out: &Path) -> Outcome<Self> {
        let begin = Instant::now();
        let outcome = search(engine, program, limits.clone());
        let time = begin.elapsed();
        let (mut finding, mut fewest) = (None, None);
        if let Some(trace) = outcome.trace() {
            let file = files::write_trace(out, trace)?;
            finding = Some((trace.clone(), file));
        }
        if !as_found && let Some(shrunk) = small_story(program, &outcome, limits) {
            let file = files::write_trace(out, &shrunk.trace)?;
            finding = Some((shrunk.trace, file));
            fewest = shrunk.fewest;
        }
        let verdict_exit = match outcome.verdict {
            Verdict::Proved => Exit::AsExpected,
            Verdict::Falsified(_) => Exit::Falsified,
            Verdict::Held(_) => Exit::Held,
            Verdict::Broken(_) => Exit::Broken,
        };
        let unexpected = outcome.as_expected(program).err();
        let expected_exit = match (&unexpected, verdict_exit) {
            (None, _) => Exit::AsExpected,
            (Some(_), Exit::AsExpected) => Exit::NothingBreaks,
            (Some(_), exit) => exit,
        };
        Ok(Self {
            name: program.name().into(),
            expected: program.expects(),
            engine: engine.name(),
            verdict: outcome.word(),
            why: match &outcome.verdict {
                Verdict::Held(why) | Verdict::Broken(why) => Some(why.clone()),
                _ => None,
            },
            unexpected,
            executions: outcome.executions,
            redundant: outcome.redundant,
            steps: outcome.steps,
            longest: outcome.longest,
            time,
            finding,
            fewest,
            verdict_exit,
            expected_exit,
        })
    }

    /// As JSON. The keys are part of the interface.
    pub fn json(&self) -> Value {
        let finding = self.finding.as_ref().map(|(trace, file)| {
            json!({
                "property": trace.violates,
                "because": trace.because,
                "steps": trace.steps,
                "preemptions": self.fewest,
                "file": file.display().to_string(),
            })
        });
        json!({
            "name": self.name,
            "expected": self.expected,
            "engine": self.engine,
            "verdict": self.verdict,
            "as_expected": self.unexpected.is_none(),
            "why": self.why,
            "executions": self.executions,
            "redundant": self.redundant,
            "decisions": self.steps,
            "longest": self.longest,
            "seconds": self.time.as_secs_f64(),
            "finding": finding,
        })
    }
}
