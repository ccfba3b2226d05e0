//! Making a finding small: first fewer changes from one thread to another, then fewer steps, keeping the same violation.

use std::sync::atomic::Ordering;

use overtake_models::shrink::reason_kind;
use overtake_models::trace::Trace;

use super::given::{Otherwise, Words};
use super::ledger::Violation;
use super::outcome::Verdict;
use super::search::{Engine, Limits, run, search, trace as told};
use super::stage::Program;

/// A finding made small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// It.
    pub trace: Trace,
    /// How often the story changes from one thread to another.
    pub changes: usize,
    /// With fewer preemptions there is no such violation: every schedule with fewer was tried.
    pub fewest: Option<usize>,
}

/// How often one thread follows upon another.
pub(super) fn changes(steps: &[String]) -> usize {
    let thread = |step: &String| step.split(':').next().unwrap_or_default().to_owned();
    let threads: Vec<String> = steps.iter().map(thread).collect();
    threads.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

fn size(steps: &[String]) -> (usize, usize) {
    (changes(steps), steps.len())
}

fn same(a: &Violation, b: &Trace) -> bool {
    a.property == b.violates && reason_kind(&a.because) == reason_kind(&b.because)
}

/// Makes the trace small, with at most so many executions where it searches for a story with fewer preemptions.
pub fn shrink(program: &Program, trace: &Trace, limits: Limits) -> Shrunk {
    let mut best = trace.clone();
    let mut fewest = None;
    for most in 0..4 {
        let outcome = search(Engine::Preemptions(most), program, limits.clone());
        match outcome.verdict {
            Verdict::Falsified(found) if reason_kind(&found.because) == reason_kind(&best.because) => {
                if size(&found.steps) < size(&best.steps) {
                    best = *found;
                }
                fewest = Some(most);
                break;
            }
            Verdict::Held(why) if why.starts_with("every schedule with") => {}
            _ => break,
        }
    }
    let once = limits.once();
    let attempt = |steps: Vec<String>| -> Option<(Violation, Vec<String>)> {
        let ran = run(program, Words::new(steps, Otherwise::LeaveOut), &once, true);
        let violation = ran.tally.violation?;
        same(&violation, trace).then_some((violation, ran.tally.texts))
    };
    while !limits.stop.load(Ordering::Relaxed) {
        let before = size(&best.steps);
        let mut piece = best.steps.len();
        while piece > 0 {
            let mut at = 0;
            while at < best.steps.len() {
                let mut left = best.steps.clone();
                left.drain(at..(at + piece).min(left.len()));
                match attempt(left) {
                    Some((violation, steps)) if size(&steps) < size(&best.steps) => {
                        best = told(program, &violation, steps, trace.found_by.clone());
                    }
                    _ => at += piece,
                }
            }
            piece /= 2;
        }
        if size(&best.steps) == before {
            break;
        }
    }
    Shrunk { changes: changes(&best.steps), trace: best, fewest }
}
