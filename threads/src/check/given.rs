//! Strategies that somebody else thought of: shuttle's schedulers, and recorded schedules.

use std::mem::ManuallyDrop;

use shuttle::scheduler::{Scheduler, Task as ShuttleTask};

use super::conductor::{Chosen, Decision, Strategy};
use super::ledger::Task;

/// One of shuttle's own schedulers.
pub(crate) struct Theirs {
    /// Never dropped: the random one takes being dropped in the middle for a failure, and prints so.
    scheduler: ManuallyDrop<Box<dyn Scheduler>>,
    /// It said that it has nothing more to try.
    pub exhausted: bool,
    /// Numbers were drawn, which none of them tries one by one.
    pub drew: bool,
    began: bool,
    /// There was something to decide.
    decided: bool,
}

impl Theirs {
    pub fn new(scheduler: impl Scheduler + 'static) -> Self {
        Self {
            scheduler: ManuallyDrop::new(Box::new(scheduler)),
            exhausted: false,
            drew: false,
            began: false,
            decided: false,
        }
    }
}

impl Strategy for Theirs {
    fn begin(&mut self) -> bool {
        // Where there is nothing to decide, one execution is all there are, and PCT fails at the second one.
        let nothing_to_decide = self.began && !self.decided;
        self.began = true;
        self.exhausted = nothing_to_decide || self.scheduler.new_execution().is_none();
        !self.exhausted
    }

    fn pick(&mut self, at: &Decision<'_>) -> Option<Task> {
        self.decided |= at.options.len() > 1;
        let may = |task: &&&ShuttleTask| at.options.contains(&usize::from(task.id()));
        let picked = match at.options.len() == at.runnable.len() {
            true => self.scheduler.next_task(at.runnable, Some(at.current.into()), at.yields),
            false => {
                let tasks: Vec<&ShuttleTask> = at.runnable.iter().filter(may).copied().collect();
                self.scheduler.next_task(&tasks, Some(at.current.into()), at.yields)
            }
        };
        picked.map(usize::from)
    }

    fn number(&mut self, among: usize, _: &dyn Fn(usize) -> String) -> usize {
        self.drew = true;
        (self.scheduler.next_u64() % among as u64) as usize
    }
}

/// Takes once what was taken before.
pub(crate) struct Same {
    chosen: std::vec::IntoIter<Chosen>,
    began: bool,
    /// The execution was another one.
    pub differs: bool,
}

impl Same {
    pub fn new(chosen: Vec<Chosen>) -> Self {
        Self { chosen: chosen.into_iter(), began: false, differs: false }
    }
}

impl Strategy for Same {
    fn begin(&mut self) -> bool {
        !std::mem::replace(&mut self.began, true)
    }

    fn pick(&mut self, at: &Decision<'_>) -> Option<Task> {
        match self.chosen.next() {
            Some(Chosen::Task(task)) if at.options.contains(&task) => Some(task),
            _ => {
                self.differs = true;
                None
            }
        }
    }

    fn number(&mut self, among: usize, _: &dyn Fn(usize) -> String) -> usize {
        match self.chosen.next() {
            Some(Chosen::Number(number)) if number < among => number,
            _ => {
                self.differs = true;
                0
            }
        }
    }
}

/// What to do about a step that cannot be taken, or when there are no more steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Otherwise {
    /// The steps are stale.
    Stop,
    /// From there on each thread goes on as long as it can.
    GoOn,
    /// Leaves out what cannot be taken, and goes on when there are no more steps.
    LeaveOut,
}

/// Takes the steps of a trace, known by their words.
pub(crate) struct Words {
    steps: Vec<String>,
    next: usize,
    otherwise: Otherwise,
    began: bool,
    /// The step that could not be taken, from 0, and what could have been done there.
    pub stale: Option<(usize, Vec<String>)>,
    over: bool,
}

impl Words {
    pub fn new(steps: Vec<String>, otherwise: Otherwise) -> Self {
        Self { steps, next: 0, otherwise, began: false, stale: None, over: false }
    }

    /// The first step, from 0, that was not taken when the execution was over.
    pub fn left_over(&self) -> Option<usize> {
        Some(self.next).filter(|next| *next < self.steps.len())
    }

    /// Takes the next step that can be taken, of all that can.
    fn take(&mut self, can: &[String]) -> Option<usize> {
        while !self.over {
            let Some(wanted) = self.steps.get(self.next) else {
                self.over = true;
                break;
            };
            if let Some(at) = can.iter().position(|text| text == wanted) {
                self.next += 1;
                return Some(at);
            }
            if self.otherwise == Otherwise::LeaveOut {
                self.next += 1;
                continue;
            }
            self.stale = Some((self.next, can.to_vec()));
            self.over = true;
        }
        // Where the steps are over, what follows is another story unless somebody asked for it.
        (self.otherwise != Otherwise::Stop).then_some(0)
    }
}

impl Strategy for Words {
    fn begin(&mut self) -> bool {
        !std::mem::replace(&mut self.began, true)
    }

    fn pick(&mut self, at: &Decision<'_>) -> Option<Task> {
        let can: Vec<String> = at.options.iter().map(|task| at.state.describe(*task)).collect();
        self.take(&can).map(|place| at.options[place])
    }

    fn number(&mut self, among: usize, names: &dyn Fn(usize) -> String) -> usize {
        let thread = super::ledger::with(|ledger| ledger.name());
        let can: Vec<String> = (0..among).map(|number| format!("{thread}: {}", names(number))).collect();
        let taken = self.take(&can);
        if taken.is_none() && self.otherwise == Otherwise::Stop && self.stale.is_none() {
            // What nobody has written down is not chosen.
            self.stale = Some((self.next, can));
        }
        taken.unwrap_or(0)
    }
}
