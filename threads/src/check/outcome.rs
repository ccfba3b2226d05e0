//! What a search comes to.

use std::fmt;

use overtake_models::trace::Trace;

/// The verdict of a search. Only [`Proved`](Self::Proved) is a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every schedule was tried, from where the stage was settled on.
    Proved,
    /// Nothing was found, and why that is no proof.
    Held(String),
    /// A schedule violates a property.
    Falsified(Box<Trace>),
    /// The program cannot be searched, and why.
    Broken(String),
}

/// What a search comes to, and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// Executions; where something was found, the last one found it.
    pub executions: u64,
    /// Executions that turned out to be others over again.
    pub redundant: u64,
    /// Decisions in all executions together.
    pub steps: u64,
    /// Decisions in the longest execution.
    pub longest: usize,
    /// What happened of what was to happen.
    pub reached: Vec<&'static str>,
}

impl Outcome {
    /// One word for the verdict, as tables have it.
    pub fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Proved => "proved",
            Verdict::Held(_) => "held",
            Verdict::Falsified(_) => "falsified",
            Verdict::Broken(_) => "broken",
        }
    }

    /// Whether it is what the program is expected to come to; if not, a sentence says what it is instead.
    ///
    /// # Errors
    /// The sentence.
    pub fn as_expected(&self, program: &super::Program) -> Result<(), String> {
        match (program.expected(), &self.verdict) {
            (None, Verdict::Proved) => Ok(()),
            (Some(property), Verdict::Falsified(trace)) if trace.violates == property => Ok(()),
            (Some(property), Verdict::Proved) => {
                Err(format!("expected falsified: {property}, but every property holds"))
            }
            _ => Err(format!("expected {}, but {self}", program.expects())),
        }
    }

    /// The trace of what was found.
    pub fn trace(&self) -> Option<&Trace> {
        match &self.verdict {
            Verdict::Falsified(trace) => Some(trace),
            _ => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.verdict {
            Verdict::Proved => {
                write!(f, "proved in {} executions, from where the stage was settled on", self.executions)
            }
            Verdict::Held(why) => write!(f, "held for {} executions: {why}", self.executions),
            Verdict::Falsified(trace) => {
                write!(f, "falsified by execution {}: {}", self.executions, trace.because)
            }
            Verdict::Broken(why) => write!(f, "broken: {why}"),
        }
    }
}
