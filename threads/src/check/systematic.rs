//! Every order of events, one execution after the other.
//!
//! Without a bound on preemptions, orders that differ only in operations that have nothing to do with one another are
//! run once (sleep sets, Godefroid 1996): a thread whose step was tried already stays asleep until a step that conflicts
//! with it. With a bound it is every order with at most so many preemptions (Musuvathi and Qadeer, PLDI 2007).

use super::conductor::{Chosen, Decision, Strategy};
use super::ledger::{Op, Task, What};

/// A step that was tried from somewhere, with all that it did.
#[derive(Clone, Debug)]
struct Tried {
    task: Task,
    did: Vec<Op>,
}

#[derive(Debug)]
struct Frame {
    options: Vec<Chosen>,
    at: usize,
    /// What the chosen step did, over all choices made within it.
    did: Vec<Op>,
    /// Not to be tried from here.
    asleep: Vec<Tried>,
    preemptions: usize,
}

/// Depth-first search.
#[derive(Debug, Default)]
pub(crate) struct Systematic {
    frames: Vec<Frame>,
    depth: usize,
    /// The frame of the step that is being taken.
    step: Option<usize>,
    preemptions: Option<usize>,
    reduces: bool,
    began: bool,
    /// Everything was tried.
    pub exhausted: bool,
    /// Executions in which at some point all that could be done had been tried.
    pub redundant: u64,
    /// The bound on preemptions left something out.
    pub bounded: bool,
    is_redundant: bool,
}

impl Systematic {
    /// Without a bound; `reduces` with sleep sets.
    pub fn all(reduces: bool) -> Self {
        Self { reduces, ..Self::default() }
    }

    /// At most so many preemptions.
    pub fn preempting(most: usize) -> Self {
        Self { preemptions: Some(most), ..Self::default() }
    }

    /// To the next order that was not tried. `false`: there is none.
    fn advance(&mut self) -> bool {
        while let Some(frame) = self.frames.last_mut() {
            let did = std::mem::take(&mut frame.did);
            if let Some(Chosen::Task(task)) = frame.options.get(frame.at)
                && self.reduces
            {
                frame.asleep.push(Tried { task: *task, did });
            }
            frame.at += 1;
            if frame.at < frame.options.len() {
                return true;
            }
            self.frames.pop();
        }
        false
    }

    /// What sleeps on after the step of the frame.
    fn still_asleep(&self) -> Vec<Tried> {
        let Some(frame) = self.step.and_then(|at| self.frames.get(at)) else { return Vec::new() };
        let apart = |tried: &&Tried| !tried.did.iter().any(|a| frame.did.iter().any(|b| a.conflicts(*b)));
        frame.asleep.iter().filter(apart).cloned().collect()
    }

    fn new_frame(&mut self, at: &Decision<'_>) -> Frame {
        let asleep = if self.reduces { self.still_asleep() } else { Vec::new() };
        let before = self.step.map_or(0, |step| self.frames[step].preemptions);
        let mut options: Vec<Chosen> = at
            .options
            .iter()
            .filter(|task| !asleep.iter().any(|tried| tried.task == **task))
            .map(|task| Chosen::Task(*task))
            .collect();
        if options.is_empty() {
            if !self.is_redundant {
                self.redundant += 1;
            }
            self.is_redundant = true;
            options.push(Chosen::Task(at.options[0]));
        }
        if self.is_redundant {
            options.truncate(1);
        }
        if let Some(most) = self.preemptions
            && at.may_stay()
            && !at.yields
            && before >= most
            && options.len() > 1
        {
            self.bounded = true;
            options.truncate(1);
        }
        Frame { options, at: 0, did: Vec::new(), asleep, preemptions: before }
    }
}

impl Strategy for Systematic {
    fn begin(&mut self) -> bool {
        if self.began && !self.advance() {
            self.exhausted = true;
            return false;
        }
        self.began = true;
        self.depth = 0;
        self.step = None;
        self.is_redundant = false;
        true
    }

    fn pick(&mut self, at: &Decision<'_>) -> Option<Task> {
        if self.depth == self.frames.len() {
            let frame = self.new_frame(at);
            self.frames.push(frame);
        }
        let before = self.step.map_or(0, |step| self.frames[step].preemptions);
        let frame = &mut self.frames[self.depth];
        let Some(Chosen::Task(task)) = frame.options.get(frame.at).copied() else {
            panic!("the program did something else than in the execution before: it is not deterministic");
        };
        assert!(at.options.contains(&task), "thread {task} cannot go where it could before: not deterministic");
        let preempts = at.may_stay() && !at.yields && task != at.current;
        frame.preemptions = before + usize::from(preempts);
        self.step = Some(self.depth);
        self.depth += 1;
        self.goes_on(at.state.tasks[task].pending);
        Some(task)
    }

    fn number(&mut self, among: usize) -> usize {
        if self.depth == self.frames.len() {
            let options = (0..among).map(Chosen::Number).collect();
            let preemptions = self.step.map_or(0, |step| self.frames[step].preemptions);
            self.frames.push(Frame { options, at: 0, did: Vec::new(), asleep: Vec::new(), preemptions });
        }
        let frame = &self.frames[self.depth];
        let Some(Chosen::Number(number)) = frame.options.get(frame.at).copied() else {
            panic!("the program chose where it did not choose before: it is not deterministic");
        };
        self.depth += 1;
        number
    }

    fn goes_on(&mut self, op: Op) {
        if let Some(step) = self.step
            && !self.frames[step].did.contains(&op)
        {
            self.frames[step].did.push(op);
        }
    }

    fn touches(&mut self, object: u32) {
        self.goes_on(Op::new(What::Write, object));
    }
}
