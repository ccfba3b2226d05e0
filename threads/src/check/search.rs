//! Searches over the schedules of a program.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use overtake_models::trace::Trace;
use shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};

use super::NO_PANIC;
use super::conductor::{Conductor, Strategy, Tally};
use super::given::{Same, Theirs};
use super::ledger::{self, Violation};
use super::outcome::{Outcome, Verdict};
use super::quiet::{quietly, words};
use super::stage::{Program, Stage};
use super::systematic::Systematic;

/// Why shuttle's own search proves nothing of a program that chooses.
pub const NUMBERS_DRAWN: &str = "numbers were drawn, and shuttle's search tries only one for each";

/// Who picks the schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Every order, those that differ in nothing but unrelated operations once.
    Systematic,
    /// Every order, each of them.
    Exhaustive,
    /// Every order with at most so many preemptions.
    Preemptions(usize),
    /// shuttle's depth-first search.
    Dfs,
    /// shuttle's PCT with so many points of change less one.
    Pct {
        /// The depth of bugs that it finds with a known probability.
        depth: usize,
        /// Decides everything.
        seed: u64,
    },
    /// shuttle's random walk.
    Random {
        /// Decides everything.
        seed: u64,
    },
}

impl Engine {
    /// The engine of that name, as it is typed: `systematic`, `exhaustive`, `preemptions=2`, `dfs`, `pct=3` or
    /// `random`. The seed is for those that draw.
    ///
    /// # Errors
    /// A sentence, when there is no such engine.
    pub fn typed(text: &str, seed: u64) -> Result<Self, String> {
        let (name, number) = match text.split_once('=') {
            Some((name, number)) => match number.parse() {
                Ok(number) if (1..=64).contains(&number) => (name, Some(number)),
                _ => return Err(format!("{number:?} is no number from 1 to 64, which {name} needs")),
            },
            None => (text, None),
        };
        match (name, number) {
            ("systematic", None) => Ok(Engine::Systematic),
            ("exhaustive", None) => Ok(Engine::Exhaustive),
            ("preemptions", Some(most)) => Ok(Engine::Preemptions(most)),
            ("preemptions", None) => Ok(Engine::Preemptions(2)),
            ("dfs", None) => Ok(Engine::Dfs),
            ("pct", depth) => Ok(Engine::Pct { depth: depth.unwrap_or(3), seed }),
            ("random", None) => Ok(Engine::Random { seed }),
            _ => Err(format!(
                "there is no engine {text:?}; there are systematic, exhaustive, preemptions=N, dfs, pct=N and random"
            )),
        }
    }

    /// What must be typed for it.
    pub fn to_type(self) -> String {
        match self {
            Engine::Systematic => "--engine systematic".into(),
            Engine::Exhaustive => "--engine exhaustive".into(),
            Engine::Preemptions(most) => format!("--engine preemptions={most}"),
            Engine::Dfs => "--engine dfs".into(),
            Engine::Pct { depth, seed } => format!("--engine pct={depth} --seed {seed}"),
            Engine::Random { seed } => format!("--engine random --seed {seed}"),
        }
    }

    /// As traces and tables name it.
    pub fn name(self) -> String {
        match self {
            Engine::Systematic => "systematic".into(),
            Engine::Exhaustive => "exhaustive".into(),
            Engine::Preemptions(most) => format!("at most {most} preemptions"),
            Engine::Dfs => "shuttle DFS".into(),
            Engine::Pct { depth, seed } => format!("shuttle PCT, depth {depth}, seed {seed}"),
            Engine::Random { seed } => format!("shuttle random, seed {seed}"),
        }
    }
}

/// Where a search ends at the latest.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Most executions.
    pub executions: u64,
    /// Most decisions in an execution: those that come to it are cut off, and nothing is proved any more.
    pub steps: usize,
    /// Raised from outside, it ends the search before its next execution.
    pub stop: Arc<AtomicBool>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { executions: 100_000, steps: 2_000, stop: Arc::default() }
    }
}

impl Limits {
    /// The same for one execution, which nobody interrupts.
    pub(super) fn once(&self) -> Self {
        Self { executions: 1, steps: self.steps, stop: Arc::default() }
    }
}

pub(super) fn config() -> Config {
    let mut config = Config::new();
    config.failure_persistence = FailurePersistence::None;
    // The conductor counts: shuttle's own bound either panics or ends quietly.
    config.max_steps = MaxSteps::None;
    config.silence_warnings = true;
    config.stack_size = 0x2_0000;
    config
}

/// Marks the thread as one that runs searches, for as long as it does.
struct AtWork;

impl AtWork {
    fn begin(chooser: ledger::Chooser, detail: bool) -> Self {
        ledger::with(|ledger| {
            assert!(!ledger.scheduled.replace(true), "one search at a time on a thread");
            ledger.detail.set(detail);
            *ledger.chooser.borrow_mut() = Some(chooser);
            let mut state = ledger.state.borrow_mut();
            state.violation = None;
            state.reached.clear();
        });
        Self
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        ledger::with(|ledger| {
            ledger.scheduled.set(false);
            ledger.detail.set(false);
            ledger.clearing.set(false);
            ledger.chooser.borrow_mut().take();
            ledger.closers.borrow_mut().clear();
        });
    }
}

/// What a strategy made of a program.
pub(super) struct Ran<S> {
    pub strategy: Rc<RefCell<S>>,
    pub tally: Tally,
    pub reached: Vec<&'static str>,
}

/// Runs the program as often as the strategy and the limits will have it, or until something is violated.
pub(super) fn run<S: Strategy + 'static>(program: &Program, strategy: S, limits: &Limits, detail: bool) -> Ran<S> {
    let conductor = Conductor::new(strategy, limits.clone());
    let (strategy, tally) = (conductor.strategy.clone(), conductor.tally.clone());
    let at_work = AtWork::begin(conductor.chooser(), detail);
    let body = program.body.clone();
    let runner = Runner::new(conductor, config());
    let ended = quietly(|| {
        panic::catch_unwind(AssertUnwindSafe(|| {
            runner.run(move || {
                let stage = Stage::new();
                body(&stage);
                stage.finish();
            });
        }))
    });
    let (reached, late) = ledger::with(|ledger| {
        let mut state = ledger.state.borrow_mut();
        (std::mem::take(&mut state.reached), state.violation.take())
    });
    drop(at_work);
    let mut tally = tally.take();
    tally.violation = tally.violation.or(late);
    if let Err(panic) = ended {
        let because = words(panic.as_ref()).to_owned();
        tally.violation.get_or_insert(Violation { property: NO_PANIC.into(), because });
    }
    Ran { strategy, tally, reached }
}

/// Searches the schedules of the program.
pub fn search(engine: Engine, program: &Program, limits: Limits) -> Outcome {
    let limits = &limits;
    let most = usize::try_from(limits.executions).unwrap_or(usize::MAX).saturating_add(1);
    match engine {
        Engine::Systematic => ours(engine, program, limits, Systematic::all(true)),
        Engine::Exhaustive => ours(engine, program, limits, Systematic::all(false)),
        Engine::Preemptions(most) => ours(engine, program, limits, Systematic::preempting(most)),
        Engine::Dfs => theirs(engine, program, limits, DfsScheduler::new(None, true)),
        Engine::Pct { depth, seed } => theirs(engine, program, limits, PctScheduler::new_from_seed(seed, depth, most)),
        Engine::Random { seed } => theirs(engine, program, limits, RandomScheduler::new_from_seed(seed, most)),
    }
}

fn ours(engine: Engine, program: &Program, limits: &Limits, strategy: Systematic) -> Outcome {
    let Ran { strategy, tally, reached } = run(program, strategy, limits, false);
    let strategy = strategy.borrow();
    let mut outcome = outcome(engine, program, limits, tally, reached, |tally| {
        if !strategy.exhausted {
            return Some(ended(tally, limits));
        }
        let bounded = || strategy.bounded.then(|| format!("every schedule with {} was tried", engine.name()));
        cut_off(tally, limits).or_else(bounded)
    });
    outcome.redundant = strategy.redundant;
    outcome
}

fn theirs(
    engine: Engine,
    program: &Program,
    limits: &Limits,
    scheduler: impl shuttle::scheduler::Scheduler + 'static,
) -> Outcome {
    let Ran { strategy, tally, reached } = run(program, Theirs::new(scheduler), limits, false);
    let strategy = strategy.borrow();
    outcome(engine, program, limits, tally, reached, |tally| {
        if engine != Engine::Dfs {
            let interrupted = limits.stop.load(Ordering::Relaxed).then(|| "the search was interrupted".into());
            let more: Vec<String> = cut_off(tally, limits).into_iter().chain(interrupted).collect();
            let sampled = format!("{} schedules were sampled by {}", tally.executions, engine.name());
            return Some([vec![sampled], more].concat().join("; "));
        }
        if !strategy.exhausted {
            return Some(ended(tally, limits));
        }
        if strategy.drew {
            return Some(NUMBERS_DRAWN.into());
        }
        cut_off(tally, limits)
    })
}

/// Why a search has not come to its end.
fn ended(tally: &Tally, limits: &Limits) -> String {
    if limits.stop.load(Ordering::Relaxed) {
        return "the search was interrupted".into();
    }
    if tally.executions >= limits.executions {
        return format!("the limit of {} executions was reached", limits.executions);
    }
    cut_off(tally, limits).unwrap_or_else(|| "the search ended early".into())
}

fn cut_off(tally: &Tally, limits: &Limits) -> Option<String> {
    (tally.cut > 0).then(|| format!("{} executions were cut off after {} decisions", tally.cut, limits.steps))
}

fn outcome(
    engine: Engine,
    program: &Program,
    limits: &Limits,
    tally: Tally,
    reached: Vec<&'static str>,
    why_no_proof: impl FnOnce(&Tally) -> Option<String>,
) -> Outcome {
    let missing = program.sometimes.iter().find(|what| !reached.contains(what));
    let verdict = match (&tally.violation, why_no_proof(&tally), missing) {
        (Some(violation), ..) => told(engine, program, limits, &tally, violation),
        (None, Some(why), _) => Verdict::Held(why),
        (None, None, Some(what)) => Verdict::Held(format!("every schedule was tried, but never: {what}")),
        (None, None, None) => Verdict::Proved,
    };
    Outcome { verdict, executions: tally.executions, redundant: 0, steps: tally.steps, longest: tally.longest, reached }
}

/// Runs the schedule again, to have it in words.
fn told(engine: Engine, program: &Program, limits: &Limits, tally: &Tally, violation: &Violation) -> Verdict {
    let again = run(program, Same::new(tally.chosen.clone()), &limits.once(), true);
    if again.strategy.borrow().differs || again.tally.violation.as_ref() != Some(violation) {
        return Verdict::Broken(format!(
            "the program is not deterministic: the schedule that led to {:?} ({}) led to {:?} when it was run again",
            violation.property, violation.because, again.tally.violation
        ));
    }
    let found_by = format!("{}, execution {}", engine.name(), tally.executions);
    Verdict::Falsified(Box::new(trace(program, violation, again.tally.texts, found_by)))
}

pub(super) fn trace(program: &Program, violation: &Violation, steps: Vec<String>, found_by: String) -> Trace {
    Trace {
        title: format!("{}: {}", program.name, violation.because),
        source: program.source.clone(),
        scenario: program.name.clone(),
        violates: violation.property.clone(),
        because: violation.because.clone(),
        fixed_by: program.fixed_by.clone().unwrap_or_default(),
        steps,
        found_by,
        ..Trace::default()
    }
}
