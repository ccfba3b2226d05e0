//! The scheduler that shuttle is given: it keeps the ledger, decides who may go, and asks a strategy who goes.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::Ordering;

use shuttle::scheduler::{Schedule, Scheduler, Task as ShuttleTask, TaskId};

use super::ledger::{self, Chooser, Ledger, Stage, State, Task, TaskState, Violation};
use super::op::{Use, What};
use super::search::Limits;

/// One thing that was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chosen {
    Task(Task),
    Number(usize),
}

/// A moment at which one of several threads may go on.
pub(crate) struct Decision<'a> {
    /// Those that may, never none. The present thread stands first if it may.
    pub options: &'a [Task],
    /// The thread that ran last.
    pub current: Task,
    /// Whether it asked for others to go first.
    pub yields: bool,
    /// What they are about to do.
    pub state: &'a State,
    /// shuttle's own view of all that could run, in the order of the threads.
    pub runnable: &'a [&'a ShuttleTask],
}

impl Decision<'_> {
    /// Whether the present thread may go on.
    pub fn may_stay(&self) -> bool {
        self.options[0] == self.current
    }
}

/// Whoever picks.
pub(crate) trait Strategy {
    /// Whether there is to be another execution.
    fn begin(&mut self) -> bool;
    /// Who goes. `None` ends the execution.
    fn pick(&mut self, at: &Decision<'_>) -> Option<Task>;
    /// One of so many, which are called something.
    fn number(&mut self, among: usize, names: &dyn Fn(usize) -> String) -> usize;
    /// The last step uses this too.
    fn uses(&mut self, _: Use) {}
    /// Nothing was left to happen: whatever comes now comes after all that was before. These threads want locks that are held.
    fn at_rest(&mut self, _: Vec<(Task, Vec<Use>)>) {}
}

/// What came of a search.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub executions: u64,
    /// Decisions in all executions.
    pub steps: u64,
    pub longest: usize,
    /// Executions that came to the limit of steps.
    pub cut: u64,
    /// What was chosen in the last execution.
    pub chosen: Vec<Chosen>,
    /// The same in words, where they are wanted.
    pub texts: Vec<String>,
    pub violation: Option<Violation>,
}

/// Executions that may be cut off before a search gives up: each costs memory that is not given back.
const MOST_CUT: u64 = 64;

pub(crate) struct Conductor<S> {
    pub strategy: Rc<RefCell<S>>,
    pub tally: Rc<RefCell<Tally>>,
    limits: Limits,
    options: Vec<Task>,
    /// The last operation of the thread that runs.
    last: What,
    /// Steps of the present execution in which the stage settles.
    settling: usize,
}

impl<S: Strategy + 'static> Conductor<S> {
    pub fn new(strategy: S, limits: Limits) -> Self {
        let strategy = Rc::new(RefCell::new(strategy));
        Self { strategy, tally: Rc::default(), limits, options: Vec::new(), last: What::Begin, settling: 0 }
    }

    /// Answers choices from the strategy.
    pub fn chooser(&self) -> Chooser {
        let (strategy, tally) = (self.strategy.clone(), self.tally.clone());
        Box::new(move |among, names| {
            let number = strategy.borrow_mut().number(among, names);
            let mut tally = tally.borrow_mut();
            tally.chosen.push(Chosen::Number(number));
            ledger::with(|ledger| {
                if ledger.detail.get() {
                    tally.texts.push(format!("{}: {}", ledger.name(), names(number)));
                }
            });
            number
        })
    }

    /// The next thread, or `None` for the end of the execution.
    fn next(&mut self, ledger: &Ledger, runnable: &[&ShuttleTask], current: Task, yields: bool) -> Option<Task> {
        let mut state = ledger.state.borrow_mut();
        let id = |task: &&ShuttleTask| usize::from(task.id());
        if ledger.clearing.get() {
            let other = runnable.iter().find(|task| id(task) != 0 && task.runnable());
            return Some(other.map_or(0, id));
        }
        if state.violation.is_some() || ledger.stage.get() == Stage::Over {
            return None;
        }
        let mut strategy = self.strategy.borrow_mut();
        for used in state.used.drain(..) {
            strategy.uses(used);
        }
        // The stage is set before anybody plays.
        let stage = runnable.first().is_some_and(|task| id(task) == 0 && task.runnable());
        if stage && ledger.stage.get() == Stage::Runs {
            return Some(0);
        }
        // A parked thread is on shuttle's list because it might wake up for no reason: every program here looks again.
        self.options.clear();
        // Nor is it of interest to try a lock that is held: one waits until it is free.
        let may = |task: &&&ShuttleTask| id(task) != 0 && task.runnable() && !state.is_shut_out(id(task));
        self.options.extend(runnable.iter().filter(may).map(id));
        if self.options.is_empty() {
            ledger.stage.set(Stage::Runs);
            let shut_out = (1..state.tasks.len()).filter(|task| state.is_shut_out(*task));
            let wanted = |it: &TaskState| it.after.iter().copied().chain(it.pending.uses).collect();
            strategy.at_rest(shut_out.map(|task| (task, wanted(&state.tasks[task]))).collect());
            return Some(0);
        }
        if let Some(&task) = self.options.iter().find(|task| state.tasks[**task].pending.is_silent()) {
            return Some(task);
        }
        if self.options.contains(&current) && goes_on(state.tasks[current].pending.what, self.last) {
            return Some(current);
        }
        if ledger.stage.get() == Stage::Settles {
            self.settling += 1;
            if self.settling >= self.limits.steps {
                self.tally.borrow_mut().cut += 1;
                return None;
            }
            let stays = self.options.contains(&current);
            return Some(if stays && !yields { current } else { self.options[0] });
        }
        let mut tally = self.tally.borrow_mut();
        if tally.chosen.len() >= self.limits.steps {
            tally.cut += 1;
            return None;
        }
        if let Some(at) = self.options.iter().position(|task| *task == current) {
            self.options[..=at].rotate_right(1);
        }
        let decision = Decision { options: &self.options, current, yields, state: &state, runnable };
        let task = strategy.pick(&decision)?;
        tally.chosen.push(Chosen::Task(task));
        if ledger.detail.get() {
            tally.texts.push(state.describe(task));
        }
        Some(task)
    }
}

/// Whether the thread may do the operation at once after what it has done last, since nothing that others do in between
/// makes a difference.
///
/// To unlock can be as early as one likes: what others could do before, they can do before the lock or after. And a thread
/// that has just locked a monitor may as well go to sleep on it: whoever notifies in between could have done so before.
fn goes_on(next: What, last: What) -> bool {
    next == What::Unlock || next == What::Wait && last == What::Lock
}

impl<S: Strategy + 'static> Scheduler for Conductor<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        ledger::with(|ledger| {
            let mut tally = self.tally.borrow_mut();
            let length = tally.chosen.len();
            tally.steps += length as u64;
            tally.longest = tally.longest.max(length);
            if let Some(violation) = ledger.state.borrow_mut().violation.take() {
                tally.violation = Some(violation);
                return None;
            }
            let enough = tally.cut >= MOST_CUT || tally.executions >= self.limits.executions;
            if enough || self.limits.stop.load(Ordering::Relaxed) || !self.strategy.borrow_mut().begin() {
                return None;
            }
            tally.executions += 1;
            tally.chosen.clear();
            tally.texts.clear();
            self.settling = 0;
            ledger.reset();
            Some(Schedule::new(0))
        })
    }

    fn next_task(&mut self, runnable: &[&ShuttleTask], current: Option<TaskId>, yields: bool) -> Option<TaskId> {
        ledger::with(|ledger| {
            let task = self.next(ledger, runnable, current.map_or(0, usize::from), yields)?;
            let mut state = ledger.state.borrow_mut();
            let state = &mut *state;
            if let Some(it) = state.tasks.get_mut(task) {
                let op = it.pending;
                self.last = op.what;
                // From here on it is free: nobody else goes before it is.
                let freed = match op.what {
                    What::Unlock => Some(op.on()),
                    What::Wait => Some(op.uses[1].of),
                    _ => None,
                };
                if let Some(at) = freed.and_then(|mutex| state.held.iter().position(|held| held.mutex == mutex)) {
                    state.held.swap_remove(at);
                }
                match op.is_silent() {
                    true => it.after.extend(op.uses),
                    false => {
                        state.used.append(&mut it.after);
                        state.used.extend(op.uses);
                    }
                }
                if let Some(then) = it.then[0].take() {
                    it.pending = then;
                    it.then[0] = it.then[1].take();
                    it.text = None;
                }
            }
            ledger.current.set(task);
            Some(TaskId::from(task))
        })
    }

    fn next_u64(&mut self) -> u64 {
        // Programs choose through the door.
        0
    }
}
