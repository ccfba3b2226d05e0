//! Programs inside tests: a claim that passes or panics, with everything in the message that is needed to go on.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use overtake_models::prove::OUT;
use overtake_models::trace::{Trace, slug};

use super::kept::{KEPT, kept_limits, search_kept, small_story};
use super::outcome::{Outcome, Verdict};
use super::stage::Program;

impl Program {
    /// Proves the program, for use in a test: every schedule is tried.
    ///
    /// # Panics
    /// Unless the verdict is [`Verdict::Proved`]: a search that was cut off, or that never saw what it must see, is no
    /// proof. The message tells the story made small, saves it as a trace (in the folder that [`OUT`] names, or in
    /// `target/overtake`) and says how to go on.
    #[track_caller]
    pub fn prove(&self) -> Outcome {
        let outcome = search_kept(self);
        if let Some(message) = self.disproof(&outcome) {
            panic!("{message}");
        }
        println!("{}: {outcome}, {} decisions", self.name(), outcome.steps);
        outcome
    }

    /// Checks that the property of that name is violated, and answers how, made small; for use in a test.
    ///
    /// # Panics
    /// When it is not.
    #[track_caller]
    pub fn falsify(&self, property: &str) -> Trace {
        let outcome = search_kept(self);
        match small_story(self, &outcome, &kept_limits()) {
            Some(small) if small.trace.violates == property => small.trace,
            _ => panic!("{property:?} was not seen to be violated in {:?}: {outcome}", self.name()),
        }
    }

    /// What to say when the verdict is no proof; `None` when it is one.
    fn disproof(&self, outcome: &Outcome) -> Option<String> {
        let mut out = format!(
            "{}\nsource: {}\nsearch: {}, {} executions of {} decisions at most\n",
            self.name(),
            if self.comes_from().is_empty() { "none" } else { self.comes_from() },
            KEPT.name(),
            kept_limits().executions,
            kept_limits().steps
        );
        match &outcome.verdict {
            Verdict::Proved => return None,
            Verdict::Held(why) => {
                let _ = write!(out, "\nnot proved: {why}");
            }
            Verdict::Broken(why) => {
                let _ = write!(out, "\nnot checkable: {why}");
            }
            Verdict::Falsified(found) => {
                let small =
                    small_story(self, outcome, &kept_limits()).map_or_else(|| *found.clone(), |small| small.trace);
                let _ = writeln!(out, "\nviolated: {}\n  {}", small.violates, small.because);
                for (at, step) in small.steps.iter().enumerate() {
                    let _ = writeln!(out, "  {:>3}. {step}", at + 1);
                }
                let _ = write!(out, "{}", saved(&small));
            }
        }
        Some(out)
    }
}

/// Saves the trace, or says the whole of it where that cannot be done.
fn saved(trace: &Trace) -> String {
    let folder = std::env::var_os(OUT).map_or_else(|| PathBuf::from("target/overtake"), PathBuf::from);
    let file = folder.join(format!("{}--{}.trace", slug(&trace.scenario), slug(&trace.violates)));
    let text = trace.to_string();
    let write = |file: &Path| std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(file, &text));
    match write(&file) {
        Ok(()) => format!("trace: {}", file.display()),
        Err(error) => format!("the trace cannot be saved ({error}); it is\n{text}"),
    }
}
