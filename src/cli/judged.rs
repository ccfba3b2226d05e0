//! What came out of one check: for the table, for JSON, and as an exit code.

use std::path::{Path, PathBuf};
use std::time::Duration;

use overtake_models::manifest::{as_expected, expected_text};
use overtake_models::{Checked, Scenario, Verdict};
use serde_json::{Value, json};

use super::exit::{Exit, Outcome};
use super::files;

/// A finding that was written to a file.
pub(super) struct Written {
    pub property: &'static str,
    pub because: String,
    pub steps: Vec<String>,
    /// How many of the last steps repeat for ever.
    pub cycle: usize,
    /// No shorter story was missed.
    pub shortest: bool,
    pub file: PathBuf,
}

/// The outcome of one scenario, without the world behind it.
pub(super) struct Judged {
    pub name: String,
    pub bounds: String,
    pub expected: String,
    /// One word.
    pub verdict: &'static str,
    /// Why it is no more than that.
    pub why: Option<String>,
    /// What is not as expected.
    pub unexpected: Option<String>,
    pub states: usize,
    pub probed: usize,
    pub transitions: usize,
    pub depth: usize,
    pub bytes: usize,
    pub time: Duration,
    pub collision_odds: f64,
    pub program_runs: u64,
    pub findings: Vec<Written>,
    /// The exit code that the verdict alone stands for.
    pub verdict_exit: Exit,
    /// The exit code against what was expected.
    pub expected_exit: Exit,
}

impl Judged {
    /// Judges a check and writes its findings into the folder.
    pub fn new(scenario: &Scenario, checked: &Checked, interrupted: bool, out: &Path) -> Outcome<Self> {
        let mut findings = Vec::new();
        if let Verdict::Falsified(found) = &checked.verdict {
            for finding in found {
                findings.push(Written {
                    property: finding.property,
                    because: finding.because.clone(),
                    steps: finding.trace.all_steps(),
                    cycle: finding.cycle,
                    shortest: finding.shortest,
                    file: files::write_trace(out, &finding.trace)?,
                });
            }
        }
        let verdict_exit = verdict_exit(checked, interrupted);
        let unexpected = as_expected(scenario, checked).err();
        let expected_exit = match (&unexpected, verdict_exit) {
            (None, _) => Exit::AsExpected,
            (Some(_), Exit::AsExpected) => Exit::NothingBreaks,
            (Some(_), exit) => exit,
        };
        let seen = &checked.seen;
        Ok(Self {
            name: scenario.name().into(),
            bounds: scenario.bounds(),
            expected: expected_text(scenario),
            verdict: checked.verdict.word(),
            why: match &checked.verdict {
                Verdict::Held(why) | Verdict::Broken(why) => Some(why.clone()),
                _ => None,
            },
            unexpected,
            states: seen.states,
            probed: seen.probed,
            transitions: seen.transitions,
            depth: seen.depth,
            bytes: seen.bytes,
            time: seen.time,
            collision_odds: checked.collision_odds,
            program_runs: checked.program_runs,
            findings,
            verdict_exit,
            expected_exit,
        })
    }

    /// Of a scenario that makes no world.
    pub fn impossible(scenario: &Scenario, why: String) -> Self {
        Self {
            name: scenario.name().into(),
            bounds: scenario.bounds(),
            expected: expected_text(scenario),
            verdict: "impossible",
            why: Some(why.clone()),
            unexpected: Some(why),
            states: 0,
            probed: 0,
            transitions: 0,
            depth: 0,
            bytes: 0,
            time: Duration::ZERO,
            collision_odds: 0.0,
            program_runs: 0,
            findings: Vec::new(),
            verdict_exit: Exit::BadInput,
            expected_exit: Exit::BadInput,
        }
    }

    /// As JSON. The keys are part of the interface.
    pub fn json(&self) -> Value {
        let findings = self.findings.iter().map(|f| {
            json!({
                "property": f.property,
                "because": f.because,
                "steps": f.steps,
                "cycle": f.cycle,
                "shortest": f.shortest,
                "file": f.file.display().to_string(),
            })
        });
        json!({
            "name": self.name,
            "bounds": self.bounds,
            "expected": self.expected,
            "verdict": self.verdict,
            "as_expected": self.unexpected.is_none(),
            "why": self.why,
            "states": self.states,
            "probed": self.probed,
            "transitions": self.transitions,
            "depth": self.depth,
            "bytes": self.bytes,
            "seconds": self.time.as_secs_f64(),
            "collision_odds": self.collision_odds,
            "program_runs": self.program_runs,
            "findings": findings.collect::<Vec<_>>(),
        })
    }
}

fn verdict_exit(checked: &Checked, interrupted: bool) -> Exit {
    match &checked.verdict {
        Verdict::Proved => Exit::AsExpected,
        Verdict::Falsified(_) => Exit::Falsified,
        Verdict::Broken(_) if checked.world.error().is_some() => Exit::Broken,
        Verdict::Held(_) | Verdict::Broken(_) if interrupted => Exit::Interrupted,
        Verdict::Held(_) => Exit::Held,
        // A violation was seen; only its story was not found.
        Verdict::Broken(_) => Exit::Falsified,
    }
}
