//! Taking the steps of a trace again.

use overtake_models::trace::Trace;

use super::given::{Otherwise, Words};
use super::ledger::Violation;
use super::search::{Limits, run};
use super::stage::Program;

/// What taking the steps of a trace again came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// The same property is violated for the same reason.
    Violates,
    /// Something else is violated, or for another reason.
    Otherwise(Violation),
    /// All steps were taken and nothing is violated.
    ViolatesNothing,
    /// A step cannot be taken any more. This is neither a pass nor a finding.
    Stale {
        /// Which step, from 1.
        step: usize,
        /// What it says.
        wanted: String,
        /// What could have been done instead.
        possible: Vec<String>,
    },
}

/// Takes exactly the steps of the trace.
pub fn replay(program: &Program, trace: &Trace) -> Replayed {
    replay_otherwise(program, trace, Otherwise::Stop).0
}

/// Takes the steps of the trace as far as may be, and answers the steps that were taken.
pub fn replay_otherwise(program: &Program, trace: &Trace, otherwise: Otherwise) -> (Replayed, Vec<String>) {
    let ran = run(program, Words::new(trace.steps.clone(), otherwise), &Limits::default().once(), true);
    let strategy = ran.strategy.borrow();
    let replayed = match (&strategy.stale, ran.tally.violation) {
        (Some((at, possible)), _) if otherwise == Otherwise::Stop => {
            let wanted = trace.steps.get(*at).cloned().unwrap_or_default();
            Replayed::Stale { step: at + 1, wanted, possible: possible.clone() }
        }
        // It came too early.
        (_, Some(_)) if otherwise == Otherwise::Stop && strategy.left_over().is_some() => {
            let at = strategy.left_over().unwrap_or_default();
            Replayed::Stale { step: at + 1, wanted: trace.steps[at].clone(), possible: Vec::new() }
        }
        (_, Some(violation)) if violation.property == trace.violates && violation.because == trace.because => {
            Replayed::Violates
        }
        (_, Some(violation)) => Replayed::Otherwise(violation),
        (_, None) => Replayed::ViolatesNothing,
    };
    (replayed, ran.tally.texts)
}
