//! Searches by loom: every order of events, and every value that the memory model lets a thread read.
//!
//! loom ends normally where it was cut off: its bounds on permutations and time are looked at now and then only, and a
//! run that they ended looks like one that is complete. Here executions are counted and time is looked at by us, so a run is
//! complete or it is said to be cut off. The bounds of the environment (`LOOM_MAX_PERMUTATIONS` and others) are not heeded.
//!
//! A finding is told by running up to the same execution again, with the door's log on. Nobody can take its steps again:
//! loom takes no schedule, and what a thread reads is part of it. `found by` says so.

use std::any::Any;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use overtake_models::trace::Trace;

use super::ledger::Violation;
use super::outcome::Verdict;
use super::quiet::{quietly, words};
use super::stage::{Program, Stage, program};
use super::{NO_HANG, NO_PANIC};
use crate::sync::{Loom, Role, Shuttle, Threads};

/// Says what is violated and what happens, whichever engine runs the program.
#[derive(Clone, Copy, Debug)]
pub enum Judge {
    /// To loom. A violation ends the execution by a panic.
    Loom,
    /// To the searches over schedules.
    Stage(Stage),
}

impl Judge {
    /// The property is violated unless the condition holds.
    pub fn holds(self, condition: bool, property: &str, because: impl FnOnce() -> String) {
        match self {
            Judge::Stage(stage) => stage.holds(condition, property, because),
            Judge::Loom if condition => {}
            Judge::Loom => {
                let violation = Violation { property: property.into(), because: because() };
                Loom::log(|log| *log.violation.borrow_mut() = Some(violation));
                panic!("a property is violated");
            }
        }
    }

    /// Something happens that has to happen in some execution.
    pub fn reached(self, what: &'static str) {
        match self {
            Judge::Stage(stage) => stage.reached(what),
            Judge::Loom => Loom::log(|log| {
                let mut reached = log.reached.borrow_mut();
                if !reached.contains(&what) {
                    reached.push(what);
                }
            }),
        }
    }
}

/// A program for loom: at most five threads, no daemons, no choices.
#[derive(Clone)]
pub struct MemoryProgram {
    name: String,
    fixed_by: String,
    sometimes: Vec<&'static str>,
    body: Arc<dyn Fn() + Send + Sync>,
}

impl fmt::Debug for MemoryProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryProgram").field("name", &self.name).finish_non_exhaustive()
    }
}

impl MemoryProgram {
    /// A program that panics where it is wrong, or tells [`Judge::Loom`].
    pub fn new(name: &str, body: impl Fn() + Send + Sync + 'static) -> Self {
        Self { name: name.into(), fixed_by: String::new(), sometimes: Vec::new(), body: Arc::new(body) }
    }

    /// The program with the repair.
    pub fn fixed_by(mut self, name: &str) -> Self {
        self.fixed_by = name.into();
        self
    }

    /// Things that have to happen in some execution, or nothing is proved.
    pub fn sometimes(mut self, what: &[&'static str]) -> Self {
        self.sometimes.extend(what);
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// A body for loom as a program for the searches over schedules: its first thread is one like the others.
pub(crate) fn as_program(name: &str, body: fn(Judge)) -> Program {
    program(name, move |stage| {
        let judge = Judge::Stage(*stage);
        drop(Shuttle::spawn(Role::Program, crate::sync::FIRST.into(), move || body(judge)));
    })
}

/// Where loom ends at the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimits {
    /// Most executions.
    pub executions: usize,
    /// Most switches in one execution.
    pub branches: usize,
    /// Most preemptions in an execution, if there is a bound.
    pub preemptions: Option<usize>,
    /// After which time no execution begins any more.
    pub time: Option<Duration>,
}

impl Default for MemoryLimits {
    fn default() -> Self {
        Self { executions: 1_000_000, branches: 10_000, preemptions: None, time: None }
    }
}

/// What loom found. Only [`Proved`](Verdict::Proved) is a proof.
pub type MemoryVerdict = Verdict;

/// What loom found, and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryOutcome {
    /// The verdict.
    pub verdict: MemoryVerdict,
    /// Executions; where something was found, the last one found it.
    pub executions: u64,
}

/// The time is up: no execution, and no finding.
struct TimeIsUp;

/// How loom ended.
struct Ended {
    panic: Option<Box<dyn Any + Send>>,
    executions: u64,
}

/// Lets loom run the program; execution `told` is logged.
fn run(program: &MemoryProgram, limits: MemoryLimits, told: Option<u64>) -> Ended {
    let count = Arc::new(AtomicU64::new(0));
    let (counted, body) = (count.clone(), program.body.clone());
    let began = Instant::now();
    let ended = quietly(|| {
        panic::catch_unwind(AssertUnwindSafe(|| {
            builder(limits).check(move || {
                if limits.time.is_some_and(|time| began.elapsed() >= time) {
                    panic::panic_any(TimeIsUp);
                }
                let execution = counted.fetch_add(1, Ordering::Relaxed) + 1;
                Loom::log(|log| log.begin(told == Some(execution)));
                body();
                Loom::log(|log| log.over(crate::sync::FIRST));
            });
        }))
    });
    Ended { panic: ended.err(), executions: count.load(Ordering::Relaxed) }
}

/// Every field that the environment can set is set here.
fn builder(limits: MemoryLimits) -> loom::model::Builder {
    let mut builder = loom::model::Builder::new();
    builder.max_threads = loom::MAX_THREADS;
    builder.max_branches = limits.branches;
    builder.preemption_bound = limits.preemptions;
    builder.max_permutations = Some(limits.executions.saturating_add(1));
    builder.max_duration = None;
    builder.checkpoint_file = None;
    // The bound is looked at before each execution.
    builder.checkpoint_interval = 1;
    builder.expect_explicit_explore = false;
    builder.location = false;
    builder.log = false;
    builder
}

/// Lets loom search the program.
pub fn search_memory(program: &MemoryProgram, limits: MemoryLimits) -> MemoryOutcome {
    Loom::log(|log| log.reached.take());
    let Ended { panic, executions } = run(program, limits, None);
    let verdict = match panic {
        Some(panic) => judge(program, limits, panic.as_ref(), executions),
        None => whole(program, limits, executions),
    };
    MemoryOutcome { verdict, executions }
}

/// loom ended normally.
fn whole(program: &MemoryProgram, limits: MemoryLimits, executions: u64) -> Verdict {
    if executions >= limits.executions as u64 {
        return Verdict::Held(format!("the limit of {} executions was reached", limits.executions));
    }
    if let Some(most) = limits.preemptions {
        return Verdict::Held(format!("every execution with at most {most} preemptions was tried"));
    }
    let reached = Loom::log(|log| log.reached.take());
    match program.sometimes.iter().find(|what| !reached.contains(what)) {
        Some(what) => Verdict::Held(format!("every execution was tried, but never: {what}")),
        None => Verdict::Proved,
    }
}

/// What of loom's own says that it cannot go on, and no program does.
const LOOM_ONLY: [(&str, &str); 5] = [
    ("threads.len() <", "loom runs five threads at most"),
    ("[loom internal bug]", "loom is wrong"),
    ("is the model fully deterministic", "the program is not deterministic"),
    ("expected to be able to acquire lock", "a thread that waits for a mutex was unparked, which loom cannot do"),
    ("invalid value for `LOOM", "a variable of the environment that loom reads has no value that it understands"),
];

/// loom ended by a panic: it was cut off within an execution, cannot go on, or found something.
fn judge(program: &MemoryProgram, limits: MemoryLimits, panic: &(dyn Any + Send), executions: u64) -> Verdict {
    if panic.is::<TimeIsUp>() {
        return Verdict::Held(format!("the time was up after {executions} executions"));
    }
    let why = first_line(panic);
    if why.contains("maximum number of branches") {
        return Verdict::Held(format!("execution {executions} was cut off: {why}"));
    }
    let lower = why.to_lowercase();
    if let Some((_, sentence)) = LOOM_ONLY.iter().find(|(words, _)| lower.contains(&words.to_lowercase())) {
        return Verdict::Broken(format!("{sentence} ({why})"));
    }
    tell(program, limits, panic, executions)
}

fn first_line(panic: &(dyn Any + Send)) -> String {
    words(panic).lines().next().unwrap_or_default().into()
}

/// Runs up to the execution again, to have it in words.
fn tell(program: &MemoryProgram, limits: MemoryLimits, panic: &(dyn Any + Send), executions: u64) -> Verdict {
    let found = Loom::log(|log| log.violation.take());
    let again = run(program, MemoryLimits { time: None, ..limits }, Some(executions));
    let (same, left, steps) = Loom::log(|log| (log.violation.take(), log.left(), log.steps.take()));
    let panics_alike = again.panic.as_ref().is_some_and(|again| kind(again.as_ref()) == kind(panic));
    if again.executions != executions || same != found || !panics_alike {
        return Verdict::Broken(format!(
            "the program is not deterministic: execution {executions} ended by {:?}, and by {:?} when it was run again",
            first_line(panic),
            again.panic.as_ref().map(|again| first_line(again.as_ref())),
        ));
    }
    let violation = found.unwrap_or_else(|| match kind(panic).as_str() {
        DEADLOCK => Violation {
            property: NO_HANG.into(),
            because: format!("nothing can happen any more, and {left} has not ended"),
        },
        why => Violation { property: NO_PANIC.into(), because: why.into() },
    });
    Verdict::Falsified(Box::new(Trace {
        title: format!("{}: {}", program.name, violation.because),
        scenario: program.name.clone(),
        violates: violation.property,
        because: violation.because,
        fixed_by: program.fixed_by.clone(),
        steps,
        found_by: format!("loom, execution {executions}; told only, loom takes no schedule"),
        ..Trace::default()
    }))
}

const DEADLOCK: &str = "deadlock";

/// What a panic says, without numbers that no two runs have in common.
fn kind(panic: &(dyn Any + Send)) -> String {
    let why = first_line(panic);
    match why.starts_with("deadlock; threads") {
        true => DEADLOCK.into(),
        false => why,
    }
}
