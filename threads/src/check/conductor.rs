//! The scheduler that shuttle is given: it keeps the ledger, decides who may go, and asks a strategy who goes.

use std::cell::RefCell;
use std::rc::Rc;

use shuttle::scheduler::{Schedule, Scheduler, Task as ShuttleTask, TaskId};

use super::ledger::{self, Ledger, Op, Stage, State, Task, Violation, What};
use crate::sync::Role;

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
    /// One of so many.
    fn number(&mut self, among: usize) -> usize;
    /// The last step goes on with an operation before which nobody else need go.
    fn goes_on(&mut self, _: Op) {}
    /// The last step touches something without an operation of its own.
    fn touches(&mut self, _: u32) {}
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
    /// Most decisions in an execution.
    pub most_steps: usize,
    /// Most executions.
    pub most: u64,
    options: Vec<Task>,
}

impl<S: Strategy + 'static> Conductor<S> {
    pub fn new(strategy: S, most_steps: usize, most: u64) -> Self {
        let strategy = Rc::new(RefCell::new(strategy));
        Self { strategy, tally: Rc::default(), most_steps, most, options: Vec::new() }
    }

    /// Answers [`ledger::choose`] from the strategy.
    pub fn chooser(&self) -> Box<dyn FnMut(usize) -> usize> {
        let (strategy, tally) = (self.strategy.clone(), self.tally.clone());
        Box::new(move |among| {
            let number = strategy.borrow_mut().number(among);
            let mut tally = tally.borrow_mut();
            tally.chosen.push(Chosen::Number(number));
            ledger::with(|ledger| {
                if ledger.detail.get() {
                    let name = &ledger.state.borrow().tasks[ledger.current.get()].name;
                    tally.texts.push(number_text(name, number, among));
                }
            });
            number
        })
    }

    /// Who may go, but for the stage; and whether only faults are left.
    fn sort(&mut self, state: &State, runnable: &[&ShuttleTask]) -> bool {
        self.options.clear();
        let mut at_rest = true;
        for task in runnable {
            let id = usize::from(task.id());
            // A parked thread is on the list because it might wake up for no reason: every program here looks again.
            if id != 0 && task.runnable() {
                self.options.push(id);
                at_rest &= state.tasks[id].role == Role::Fault;
            }
        }
        at_rest
    }

    /// The next thread, or `None` for the end of the execution.
    fn next(&mut self, ledger: &Ledger, runnable: &[&ShuttleTask], current: Task, yields: bool) -> Option<Task> {
        let mut state = ledger.state.borrow_mut();
        if ledger.clearing.get() {
            let other = runnable.iter().find(|task| usize::from(task.id()) != 0 && task.runnable());
            return Some(other.map_or(0, |task| usize::from(task.id())));
        }
        if state.violation.is_some() || ledger.stage.get() == Stage::Over {
            return None;
        }
        let stage_runs = runnable.first().is_some_and(|task| usize::from(task.id()) == 0 && task.runnable());
        let at_rest = self.sort(&state, runnable);
        match ledger.stage.get() {
            // The stage is set before anybody plays.
            Stage::Runs if stage_runs => {
                self.strategy.borrow_mut().touches(ledger::ALL);
                return Some(0);
            }
            Stage::Join(task) if state.tasks[task].over => return self.to_the_stage(ledger),
            Stage::Rest if at_rest => return self.to_the_stage(ledger),
            Stage::Join(task) if at_rest => {
                state.violation = Some(Violation {
                    property: super::NO_HANG.into(),
                    because: format!("nothing can happen any more, and {} never ends", state.tasks[task].name),
                });
                return None;
            }
            _ => {}
        }
        let mut strategy = self.strategy.borrow_mut();
        for object in state.touched.drain(..) {
            strategy.touches(object);
        }
        // Whatever a thread does before its first operation concerns nobody.
        let begins = |task: &&Task| {
            let it = &state.tasks[**task];
            it.pending.what == What::Begin && it.role != Role::Fault
        };
        if let Some(&task) = self.options.iter().find(begins) {
            return Some(task);
        }
        // To unlock can be as early as one likes: what others could do before, they can do before the lock or after.
        if self.options.contains(&current) && state.tasks[current].pending.what == What::Unlock {
            strategy.goes_on(state.tasks[current].pending);
            return Some(current);
        }
        let mut tally = self.tally.borrow_mut();
        if tally.chosen.len() >= self.most_steps {
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

    fn to_the_stage(&self, ledger: &Ledger) -> Option<Task> {
        ledger.stage.set(Stage::Runs);
        Some(0)
    }
}

/// The step of a choice.
pub(crate) fn number_text(thread: &str, number: usize, among: usize) -> String {
    format!("{thread}: takes {} of {among}", number + 1)
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
            if tally.cut >= MOST_CUT || tally.executions >= self.most || !self.strategy.borrow_mut().begin() {
                return None;
            }
            tally.executions += 1;
            tally.chosen.clear();
            tally.texts.clear();
            ledger.reset();
            Some(Schedule::new(0))
        })
    }

    fn next_task(&mut self, runnable: &[&ShuttleTask], current: Option<TaskId>, yields: bool) -> Option<TaskId> {
        ledger::with(|ledger| {
            let task = self.next(ledger, runnable, current.map_or(0, usize::from), yields)?;
            if let Some(it) = ledger.state.borrow_mut().tasks.get_mut(task)
                && let Some(then) = it.then.take()
            {
                it.pending = then;
                it.text = None;
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
