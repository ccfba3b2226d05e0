//! What a program is, and what it may do while it sets the stage and judges.

use std::fmt;
use std::sync::Arc;

use super::NO_HANG;
use super::ledger::{self, Stage as Waits, Violation, with};
use super::op::{Op, What};
use crate::sync::{Role, Shuttle, Threads};

type Body = dyn Fn(&Stage) + Send + Sync;

/// A program of several threads.
#[derive(Clone)]
pub struct Program {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) source: String,
    pub(super) breaks: Option<String>,
    pub(super) fixed_by: Option<String>,
    pub(super) sometimes: Vec<&'static str>,
    pub(super) body: Arc<Body>,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A program that sets the stage like this.
pub fn program(name: &str, body: impl Fn(&Stage) + Send + Sync + 'static) -> Program {
    Program {
        name: name.into(),
        about: String::new(),
        source: String::new(),
        breaks: None,
        fixed_by: None,
        sometimes: Vec::new(),
        body: Arc::new(body),
    }
}

impl Program {
    /// What happens in it, in sentences.
    pub fn about(mut self, about: &str) -> Self {
        self.about = about.into();
        self
    }

    /// Where it comes from.
    pub fn source(mut self, source: &str) -> Self {
        self.source = source.into();
        self
    }

    /// The property that some schedule violates.
    pub fn breaks(mut self, property: &str) -> Self {
        self.breaks = Some(property.into());
        self
    }

    /// The program with the repair.
    pub fn fixed_by(mut self, name: &str) -> Self {
        self.fixed_by = Some(name.into());
        self
    }

    /// Things that have to happen in some schedule, or nothing is proved.
    pub fn sometimes(mut self, what: &[&'static str]) -> Self {
        self.sometimes.extend(what);
        self
    }

    /// Things that have to happen in some schedule.
    pub fn to_happen(&self) -> &[&'static str] {
        &self.sometimes
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What happens in it.
    pub fn text(&self) -> &str {
        &self.about
    }

    /// Where it comes from.
    pub fn comes_from(&self) -> &str {
        &self.source
    }

    /// The property that some schedule violates, if it must.
    pub fn expected(&self) -> Option<&str> {
        self.breaks.as_deref()
    }

    /// What it must come to, as text: `proved` or `falsified: PROPERTY`.
    pub fn expects(&self) -> String {
        self.breaks.as_ref().map_or("proved".into(), |property| format!("falsified: {property}"))
    }

    /// The name of the program with the repair.
    pub fn repair(&self) -> Option<&str> {
        self.fixed_by.as_deref()
    }
}

/// The stage of an execution. Threads may hold it too.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    _inside: (),
}

impl Stage {
    pub(super) fn new() -> Self {
        Self { _inside: () }
    }

    /// Starts a thread of the program.
    pub fn thread<T: Send + 'static>(
        &self,
        name: &str,
        body: impl FnOnce() -> T + Send + 'static,
    ) -> <Shuttle as Threads>::Join<T> {
        Shuttle::spawn(Role::Program, name.into(), body)
    }

    /// A fault that may happen, at any moment from now on, or not at all. Which of the two is chosen at once, so that what
    /// waits for ever without it is seen to.
    pub fn fault(&self, name: &str, happens: impl FnOnce() + Send + 'static) {
        let names = |number| match number {
            0 => format!("not in this story: {name}"),
            _ => format!("in this story: {name}"),
        };
        if with(|ledger| ledger.choose(2, &names)) == 1 {
            drop(Shuttle::spawn(Role::Daemon, name.into(), happens));
        }
    }

    /// Waits until nothing is left to happen. Answers the threads of the program that have not ended.
    pub fn rest(&self) -> Vec<String> {
        self.wait(Waits::Rest)
    }

    /// As [`rest`](Self::rest), in one order of events only: for what the story begins with.
    pub fn settle(&self) -> Vec<String> {
        self.wait(Waits::Settles)
    }

    fn wait(&self, how: Waits) -> Vec<String> {
        with(|ledger| {
            ledger.announce(Op::new(What::Yield));
            ledger.stage.set(how);
        });
        shuttle::thread::yield_now();
        with(|ledger| {
            let state = ledger.state.borrow();
            let waits = |task: &&ledger::TaskState| task.role == Role::Program && !task.over;
            state.tasks.iter().filter(waits).map(|task| task.name.clone()).collect()
        })
    }

    /// As [`rest`](Self::rest); a thread that has not ended violates [`NO_HANG`], with what `why` has to say about it.
    pub fn rest_or(&self, why: impl FnOnce(&[String]) -> String) {
        let waiting = self.rest();
        if !waiting.is_empty() {
            self.violated(NO_HANG, why(&waiting));
        }
    }

    /// A property is violated: the execution ends, and the search with it. The first one counts.
    pub fn violated(&self, property: &str, because: impl Into<String>) {
        with(|ledger| {
            let mut state = ledger.state.borrow_mut();
            if state.violation.is_none() && !ledger.clearing.get() {
                state.violation = Some(Violation { property: property.into(), because: because.into() });
            }
        });
    }

    /// As [`violated`](Self::violated), unless the condition holds.
    pub fn holds(&self, condition: bool, property: &str, because: impl FnOnce() -> String) {
        if !condition {
            self.violated(property, because());
        }
    }

    /// Something happens that has to happen in some schedule.
    pub fn reached(&self, what: &'static str) {
        with(|ledger| {
            let mut state = ledger.state.borrow_mut();
            if !state.reached.contains(&what) {
                state.reached.push(what);
            }
        });
    }

    /// What lets a daemon end when everything has been judged.
    pub fn in_the_end(&self, close: impl FnOnce() + 'static) {
        with(|ledger| ledger.closers.borrow_mut().push(Box::new(close)));
    }

    /// Whether something was violated already.
    pub fn is_violated(&self) -> bool {
        with(|ledger| ledger.state.borrow().violation.is_some())
    }

    /// The end of the body: waits for rest, judges what has not ended, and clears the stage.
    pub(super) fn finish(&self) {
        if !self.is_violated() {
            self.rest_or(|waiting| format!("nothing can happen any more, and {} has not ended", waiting.join(", ")));
        }
        if !self.is_violated() {
            with(|ledger| ledger.clearing.set(true));
            let closers = with(|ledger| ledger.closers.take());
            closers.into_iter().for_each(|close| close());
            shuttle::thread::yield_now();
            if with(|ledger| ledger.state.borrow().tasks.iter().skip(1).all(|task| task.over)) {
                return;
            }
            with(|ledger| ledger.clearing.set(false));
        }
        with(|ledger| ledger.stage.set(Waits::Over));
        shuttle::thread::yield_now();
    }
}
