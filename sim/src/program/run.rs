//! One run of a program from its start through a history.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Once};
use std::task::{Context as TaskContext, Poll, Waker};

use smallvec::SmallVec;

use super::context::Context;
use super::node::{NodeKey, Obs, Outcome, TaskKey};
use super::ops::{Disguise, Inner, Kind, TaskKeyAt};
use super::{Program, ProgramError};
use crate::names::{LIMIT, PER_CLIENT, who};
use crate::stores::Dht;

/// Passes over the tasks before a program counts as one that never rests.
const MOST_PASSES: usize = 10_000;

/// Unique ids for each life of a program where there may be several, so that no life draws those of another.
pub(super) const IDS_PER_LIFE: usize = 5;

/// The code of one task, polled until it rests.
pub(super) type Task = Pin<Box<dyn std::future::Future<Output = Option<Result<(), String>>>>>;

/// What a run ended in, with the names that the run itself used.
pub(super) struct RunEnd {
    pub key: NodeKey,
    /// Positions, among the operations of the key, of the requests made since the last observation.
    pub sent: SmallVec<[u8; 2]>,
    /// How many of the last waits of its own (timers, work, choices …) were made since the last observation.
    pub made: u8,
}

/// How to run.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunSpec {
    pub program: u16,
    pub slot: usize,
    /// Index of the session that the program finds at its start.
    pub born: u8,
    /// Whether a program may be started again.
    pub restarts: bool,
    pub literal_owners: bool,
    pub count_requests: bool,
    /// Timers keep their durations.
    pub timed: bool,
    /// The seed of the pauses' jitter.
    pub jitter: Option<u64>,
    pub ignore_checkpoints: bool,
    pub disguise: Disguise,
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Panics of a program are findings, not noise on the terminal.
fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
}

/// Runs the program from its start through the history.
pub(super) fn run(
    program: &Program,
    spec: RunSpec,
    table: Option<&Arc<Dht>>,
    history: &[Obs],
) -> Result<RunEnd, ProgramError> {
    quietly(|| run_loudly(program, spec, table, history))
}

/// Runs code of a program without noise about its panics.
pub(super) fn quietly<T>(code: impl FnOnce() -> T) -> T {
    quiet_panics();
    QUIET.set(true);
    let end = code();
    QUIET.set(false);
    end
}

fn run_loudly(
    program: &Program,
    spec: RunSpec,
    table: Option<&Arc<Dht>>,
    history: &[Obs],
) -> Result<RunEnd, ProgramError> {
    let inner = Rc::new(RefCell::new(Inner {
        slot: spec.slot,
        ops: Vec::new(),
        marks: BTreeMap::new(),
        anchors: vec![TaskKeyAt { anchor: None, at: 0, alive: true }],
        current_task: 0,
        kept: Vec::new(),
        spawned: Vec::new(),
        session: if program.starts_connected() { who(spec.slot, spec.born.into()) } else { 0 },
        ring: table.map_or(0, |table| table.ring_version()),
        table: table.cloned(),
        drawn: usize::from(spec.born - 1) * IDS_PER_LIFE,
        ids_end: match spec.restarts {
            true => (usize::from(spec.born) * IDS_PER_LIFE).min(PER_CLIENT.into()),
            false => PER_CLIENT.into(),
        },
        since: 0,
        observed: 0,
        dead: !program.starts_connected(),
        changed: true,
        disguise: spec.disguise,
        jitter: spec.jitter,
        sent: Vec::new(),
        made_before: 0,
        live: None,
    }));
    let ctx = Context::new(inner.clone());
    let (mut tasks, mut outcome) = start(program, ctx)?;
    rest(program, &inner, &mut tasks, &mut outcome, None)?;
    let mut marks_before = inner.borrow().marks.clone();
    for obs in history {
        {
            let mut inner = inner.borrow_mut();
            inner.sent.clear();
            inner.made_before = inner.ops.len();
            inner.observe(obs);
            inner.observed += 1;
            inner.changed = true;
        }
        rest(program, &inner, &mut tasks, &mut outcome, Some(obs))?;
        let mut inner = inner.borrow_mut();
        if inner.marks != marks_before {
            inner.since = 0;
            marks_before = inner.marks.clone();
        }
    }
    let end = finish(&inner, spec, history, &tasks, outcome);
    // Futures that are dropped now must not change what was read above.
    end_tasks(&inner, tasks);
    Ok(end)
}

/// Drops the tasks, and what they spawn as they go: some start a clean-up then, which would hold on to the run for ever.
pub(super) fn end_tasks(inner: &Rc<RefCell<Inner>>, tasks: Vec<Option<Task>>) {
    drop(tasks);
    loop {
        let spawned = std::mem::take(&mut inner.borrow_mut().spawned);
        if spawned.is_empty() {
            break;
        }
    }
}

/// The main task of a program, not yet polled; an outcome instead when the program panics before it has one.
pub(super) fn start(program: &Program, ctx: Context) -> Result<(Vec<Option<Task>>, Option<Outcome>), ProgramError> {
    match catch_unwind(AssertUnwindSafe(|| program.start(ctx))) {
        Ok(main) => Ok((vec![Some(Box::pin(async move { Some(main.await) }) as Task)], None)),
        Err(panic) => Ok((vec![None], Some(panicked(program, &*panic)?))),
    }
}

/// Polls every task until none goes further.
pub(super) fn rest(
    program: &Program,
    inner: &Rc<RefCell<Inner>>,
    tasks: &mut Vec<Option<Task>>,
    outcome: &mut Option<Outcome>,
    obs: Option<&Obs>,
) -> Result<(), ProgramError> {
    let mut cx = TaskContext::from_waker(Waker::noop());
    for _ in 0..MOST_PASSES {
        if !std::mem::take(&mut inner.borrow_mut().changed) {
            return Ok(());
        }
        let mut at = 0;
        while at < tasks.len() {
            if let Some(task) = &mut tasks[at] {
                inner.borrow_mut().current_task = at;
                let polled = catch_unwind(AssertUnwindSafe(|| task.as_mut().poll(&mut cx)));
                let ended = match polled {
                    Ok(Poll::Pending) => None,
                    Ok(Poll::Ready(None)) => Some(None),
                    Ok(Poll::Ready(Some(Ok(())))) => Some(Some(Outcome::Finished)),
                    Ok(Poll::Ready(Some(Err(why)))) => Some(Some(Outcome::Failed(why))),
                    Err(panic) => Some(Some(panicked(program, &*panic)?)),
                };
                if let Some(ended) = ended {
                    tasks[at] = None;
                    inner.borrow_mut().anchors[at].alive = false;
                    inner.borrow_mut().changed = true;
                    if let Some(ended) = ended {
                        let first = outcome.take();
                        *outcome = Some(match first {
                            Some(bad @ (Outcome::Panicked(_) | Outcome::Failed(_))) => bad,
                            _ => ended,
                        });
                    }
                }
            }
            let mut inner = inner.borrow_mut();
            let observed = inner.observed;
            for task in std::mem::take(&mut inner.spawned) {
                tasks.push(Some(task));
                inner.anchors.push(TaskKeyAt { anchor: None, at: observed, alive: true });
                inner.changed = true;
            }
            at += 1;
        }
    }
    Err(ProgramError::NeverRests {
        program: program.name().into(),
        observation: obs.map_or("its start".into(), ToString::to_string),
    })
}

fn finish(
    inner: &Rc<RefCell<Inner>>,
    spec: RunSpec,
    history: &[Obs],
    tasks: &[Option<Task>],
    outcome: Option<Outcome>,
) -> RunEnd {
    if spec.ignore_checkpoints {
        inner.borrow_mut().anchors.iter_mut().for_each(|a| a.anchor = None);
    }
    let inner = inner.borrow();
    let open = inner.open();
    let ops = open.iter().map(|&i| inner.ops[i].view(spec.timed)).collect();
    let made = open.iter().filter(|&&i| {
        i >= inner.made_before
            && !inner.ops[i].answered
            && !matches!(inner.ops[i].kind, Kind::Request(_) | Kind::Watch(..) | Kind::Call(_))
    });
    let made = small(made.count());
    let position = |id: &usize| open.iter().position(|o| o == id).map(small);
    // A task spawned after the start carries what its maker gave it, so it rests on all of the past.
    let alive = |i: &usize| tasks[*i].is_some();
    let live: Vec<usize> = (0..tasks.len()).filter(alive).collect();
    let from = |i: usize| match inner.anchors[i].anchor {
        Some(_) => inner.anchors[i].at,
        None => 0,
    };
    let oldest = live.iter().map(|&i| from(i)).min();
    let suffix = oldest.map_or(Vec::new(), |at| history[at..].to_vec());
    let base = oldest.unwrap_or(0);
    let keys = live.iter().map(|&i| TaskKey { anchor: inner.anchors[i].anchor.clone(), at: (from(i) - base) as u8 });
    let all_done = live.is_empty();
    RunEnd {
        sent: inner.sent.iter().filter_map(position).collect(),
        made,
        key: NodeKey {
            program: spec.program,
            slot: if spec.literal_owners { spec.slot as u16 } else { 0 },
            born: spec.born,
            tasks: keys.collect(),
            suffix,
            ops,
            marks: inner.marks.iter().map(|(k, v)| (*k, *v)).collect(),
            outcome,
            session: inner.session,
            dead: inner.dead && !all_done,
            drawn: if all_done { 0 } else { inner.drawn as u8 },
            ring: if all_done { 0 } else { inner.ring },
            since: if spec.count_requests { inner.since.min(15) } else { 0 },
        },
    }
}

fn small(number: usize) -> u8 {
    u8::try_from(number).unwrap_or_else(|_| panic!("more than 255 operations or observations without a checkpoint"))
}

/// A panic of the program is an outcome; one that says that a world cannot hold more is not.
fn panicked(program: &Program, panic: &(dyn std::any::Any + Send)) -> Result<Outcome, ProgramError> {
    let text = panic_text(panic);
    match text.strip_prefix(LIMIT) {
        Some(what) => Err(ProgramError::Limit { program: program.name().into(), what: what.into() }),
        None => Ok(Outcome::Panicked(text)),
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".into())
}
