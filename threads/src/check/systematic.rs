//! Every order of events, one execution after the other.
//!
//! Without a bound on preemptions, orders that differ only in operations that have nothing to do with one another are not
//! all run: a step is tried before another one only where an execution has shown that the two conflict (dynamic
//! partial-order reduction, Flanagan and Godefroid, POPL 2005, with the source sets of POPL 2014), and a thread whose step
//! was tried already stays asleep until a step that conflicts with it (sleep sets, Godefroid 1996). With a bound it is every order with at most so many
//! preemptions (Musuvathi and Qadeer, PLDI 2007).

use super::conductor::{Chosen, Decision, Strategy};
use super::ledger::{Held, Task};
use super::op::{Order, Use};

/// A step that was tried from somewhere, with all that it used.
#[derive(Clone, Debug)]
struct Tried {
    task: Task,
    used: Vec<Use>,
}

#[derive(Debug)]
struct Frame {
    /// What could be done.
    enabled: Vec<Task>,
    /// What is to be tried, and how much of it was.
    todo: Vec<Chosen>,
    at: usize,
    /// What the chosen step used, over all choices made within it.
    used: Vec<Use>,
    /// Not to be tried from here.
    asleep: Vec<Tried>,
    preemptions: usize,
    /// How often everything was at rest before.
    act: usize,
    /// Mutexes that are locked.
    held: Vec<Held>,
}

/// A thread that was shut out by a lock when nothing could be done any more. What it was about to do is looked at like a
/// step.
#[derive(Clone, Debug)]
struct Stuck {
    /// The frames before it.
    at: usize,
    task: Task,
    used: Vec<Use>,
    act: usize,
}

/// A step that could have come before another one.
struct Race {
    /// The frame of the other one.
    frame: usize,
    /// Any of these may go first there for it.
    first: Vec<Task>,
}

/// Depth-first search.
#[derive(Debug, Default)]
pub(crate) struct Systematic {
    frames: Vec<Frame>,
    depth: usize,
    /// The frame of the step that was taken last.
    step: Option<usize>,
    /// The same, unless all came to rest since: what the stage does then belongs to no step.
    open: Option<usize>,
    act: usize,
    stuck: Vec<Stuck>,
    preemptions: Option<usize>,
    reduces: bool,
    began: bool,
    /// Frames below were looked at already.
    looked_at: usize,
    /// Everything was tried.
    pub exhausted: bool,
    /// Executions in which at some point all that could be done had been tried.
    pub redundant: u64,
    /// The bound on preemptions left something out.
    pub bounded: bool,
    /// From this frame on the execution is redundant.
    redundant_from: Option<usize>,
}

fn apart(a: &[Use], b: &[Use]) -> bool {
    !a.iter().any(|a| b.iter().any(|b| a.conflicts(*b)))
}

impl Systematic {
    /// Without a bound; `reduces` leaves out what makes no difference.
    pub fn all(reduces: bool) -> Self {
        Self { reduces, ..Self::default() }
    }

    /// At most so many preemptions.
    pub fn preempting(most: usize) -> Self {
        Self { preemptions: Some(most), ..Self::default() }
    }

    /// To the next order that is to be tried. `false`: there is none.
    fn advance(&mut self) -> bool {
        while let Some(frame) = self.frames.last_mut() {
            let used = std::mem::take(&mut frame.used);
            if let Chosen::Task(task) = frame.todo[frame.at] {
                frame.asleep.push(Tried { task, used });
            }
            frame.at += 1;
            let slept = |task: &Task| frame.asleep.iter().any(|tried| tried.task == *task);
            while let Some(Chosen::Task(task)) = frame.todo.get(frame.at)
                && self.reduces
                && slept(task)
            {
                frame.at += 1;
            }
            if frame.at < frame.todo.len() {
                // With another number the step that it is chosen in is another one too.
                let is_step = |at: &usize| matches!(self.frames[*at].todo[self.frames[*at].at], Chosen::Task(_));
                self.looked_at = (0..self.frames.len()).rev().find(is_step).unwrap_or(0);
                return true;
            }
            self.frames.pop();
        }
        false
    }

    /// What sleeps on after the step of the last frame.
    fn still_asleep(&self) -> Vec<Tried> {
        let Some(frame) = self.step.and_then(|at| self.frames.get(at)) else { return Vec::new() };
        if frame.act != self.act {
            return Vec::new();
        }
        frame.asleep.iter().filter(|tried| apart(&tried.used, &frame.used)).cloned().collect()
    }

    fn new_frame(&mut self, at: &Decision<'_>) -> Frame {
        let before = self.step.map_or(0, |step| self.frames[step].preemptions);
        let mut frame = Frame {
            enabled: at.options.to_vec(),
            todo: at.options.iter().map(|task| Chosen::Task(*task)).collect(),
            at: 0,
            used: Vec::new(),
            asleep: Vec::new(),
            preemptions: before,
            act: self.act,
            held: at.state.held.clone(),
        };
        if self.reduces {
            frame.asleep = self.still_asleep();
            let awake = |task: &Task| !frame.asleep.iter().any(|tried| tried.task == *task);
            let first = at.options.iter().find(|task| awake(task));
            if first.is_none() && self.redundant_from.is_none() {
                self.redundant += 1;
                self.redundant_from = Some(self.frames.len());
            }
            frame.todo = vec![Chosen::Task(*first.unwrap_or(&at.options[0]))];
        } else if self.preemptions.is_some_and(|most| before >= most) && at.may_stay() && !at.yields {
            self.bounded |= frame.todo.len() > 1;
            frame.todo.truncate(1);
        }
        frame
    }

    /// Looks for steps of the last execution that could have come before another one that they conflict with, and sees to
    /// it that this is tried.
    fn look_for_races(&mut self) {
        let end = self.redundant_from.unwrap_or(self.frames.len());
        // The steps, without the numbers that were chosen within them.
        let task = |at: usize| match self.frames[at].todo[self.frames[at].at] {
            Chosen::Task(task) => Some(task),
            Chosen::Number(_) => None,
        };
        let steps: Vec<(usize, Task)> = (0..end).filter_map(|at| Some((at, task(at)?))).collect();
        // For each step: those that came before it in every order in which the same happens.
        let mut after: Vec<Vec<bool>> = Vec::with_capacity(steps.len());
        let mut found = Vec::new();
        for (x, &(at, own)) in steps.iter().enumerate() {
            let frame = &self.frames[at];
            let (before, races) = self.look_back(&steps[..x], &after, own, &frame.used, frame.act);
            after.push(before);
            found.extend(races.into_iter().filter(|_| at >= self.looked_at));
        }
        for Stuck { at, task, used, act } in &self.stuck {
            let x = steps.iter().take_while(|(step, _)| step < at).count();
            // What stands below was looked at when it was new, and so was who came to stand still there.
            let is_new = *at > self.looked_at && *at <= end;
            let races = self.look_back(&steps[..x], &after, *task, used, *act).1;
            found.extend(races.into_iter().filter(|_| is_new));
        }
        for Race { frame, first } in found {
            self.try_before(frame, &first);
        }
    }

    /// Looks back from a step of a thread over those before it: which of them came before it without fail, and where it
    /// could have come earlier.
    fn look_back(
        &self,
        steps: &[(usize, Task)],
        after: &[Vec<bool>],
        own: Task,
        used: &[Use],
        act: usize,
    ) -> (Vec<bool>, Vec<Race>) {
        let x = steps.len();
        let other = |y: usize| steps[y].1 != own;
        let earlier = |y: usize| &self.frames[steps[y].0];
        let any =
            |y: usize, which: fn(Use, Use) -> bool| earlier(y).used.iter().any(|e| used.iter().any(|u| which(*e, *u)));
        // What it could not have come before whatever it does: the thread's own steps, what let it go on, and what they
        // come after.
        let previous = (0..x).rev().find(|y| !other(*y));
        let let_go_on = (previous.map_or(0, |p| p + 1)..x).find(|y| other(*y) && any(*y, Use::lets));
        let mut must = vec![false; x];
        let first = (0..x).rev().find(|y| other(*y) && any(*y, Use::is_first));
        for y in previous.into_iter().chain(let_go_on).chain(first) {
            must[y] = true;
            after[y].iter().enumerate().for_each(|(z, known)| must[z] |= known);
        }
        (0..x).filter(|y| earlier(*y).act != act).for_each(|y| must[y] = true);
        let mut before = must.clone();
        for y in (0..x).rev() {
            before[y] |= any(y, Use::conflicts);
            if before[y] {
                after[y].iter().enumerate().for_each(|(z, known)| before[z] |= known);
            }
        }
        let mut races = Vec::new();
        // What comes before a step that it races with is looked at when the two have changed places.
        let mut covered = must;
        for y in (0..x).rev() {
            // Where somebody else holds a lock that the step needs, it is the locks that change places.
            let shut_out = || {
                let held = |of: u32| earlier(y).held.iter().any(|held| held.mutex == of && held.by != own);
                used.iter().any(|used| used.order == Order::Free && held(used.of))
            };
            if covered[y] || !other(y) || !any(y, Use::races) || shut_out() {
                continue;
            }
            after[y].iter().enumerate().for_each(|(z, known)| covered[z] |= known);
            // What happens if the other step is left out until this one was taken: those of its steps that nothing in it comes
            // before may be first.
            let without: Vec<usize> = (y + 1..x).filter(|z| !after[*z][y]).collect();
            let mut first: Vec<Task> = Vec::new();
            for (place, &z) in without.iter().enumerate() {
                let task = steps[z].1;
                let is_free = without[..place].iter().all(|w| steps[*w].1 != task && !after[z][*w]);
                if is_free && !first.contains(&task) {
                    first.push(task);
                }
            }
            if without.iter().all(|w| steps[*w].1 != own && !before[*w]) {
                first.push(own);
            }
            races.push(Race { frame: steps[y].0, first });
        }
        (before, races)
    }

    /// From the frame, tries one of the threads, unless one of them is tried anyway (source sets, Abdulla, Aronis, Jonsson and
    /// Sagonas, POPL 2014).
    fn try_before(&mut self, frame: usize, first: &[Task]) {
        let frame = &mut self.frames[frame];
        if first.iter().any(|task| frame.todo.contains(&Chosen::Task(*task))) {
            return;
        }
        let wanted = match first.iter().rev().find(|task| frame.enabled.contains(task)) {
            Some(task) => vec![*task],
            None => frame.enabled.clone(),
        };
        for task in wanted {
            if !frame.todo.contains(&Chosen::Task(task)) {
                frame.todo.push(Chosen::Task(task));
            }
        }
    }
}

impl Strategy for Systematic {
    fn begin(&mut self) -> bool {
        if self.began {
            if self.reduces {
                self.look_for_races();
            }
            if !self.advance() {
                self.exhausted = true;
                return false;
            }
        }
        self.began = true;
        self.depth = 0;
        self.step = None;
        self.open = None;
        self.act = 0;
        self.stuck.clear();
        self.redundant_from = None;
        true
    }

    fn pick(&mut self, at: &Decision<'_>) -> Option<Task> {
        if self.depth == self.frames.len() {
            let frame = self.new_frame(at);
            self.frames.push(frame);
        }
        let before = self.step.map_or(0, |step| self.frames[step].preemptions);
        let frame = &mut self.frames[self.depth];
        let Some(Chosen::Task(task)) = frame.todo.get(frame.at).copied() else {
            panic!("the program did something else than in the execution before: it is not deterministic");
        };
        assert!(at.options.contains(&task), "thread {task} cannot go where it could before: not deterministic");
        let preempts = at.may_stay() && !at.yields && task != at.current;
        frame.preemptions = before + usize::from(preempts);
        self.step = Some(self.depth);
        self.open = self.step;
        self.depth += 1;
        Some(task)
    }

    fn number(&mut self, among: usize, _: &dyn Fn(usize) -> String) -> usize {
        if self.depth == self.frames.len() {
            let preemptions = self.step.map_or(0, |step| self.frames[step].preemptions);
            self.frames.push(Frame {
                enabled: Vec::new(),
                todo: (0..among).map(Chosen::Number).collect(),
                at: 0,
                used: Vec::new(),
                asleep: Vec::new(),
                preemptions,
                act: self.act,
                held: Vec::new(),
            });
        }
        let frame = &self.frames[self.depth];
        let Some(Chosen::Number(number)) = frame.todo.get(frame.at).copied() else {
            panic!("the program chose where it did not choose before: it is not deterministic");
        };
        self.depth += 1;
        number
    }

    fn uses(&mut self, used: Use) {
        if let Some(step) = self.open
            && !self.frames[step].used.contains(&used)
        {
            self.frames[step].used.push(used);
        }
    }

    fn at_rest(&mut self, shut_out: Vec<(Task, Vec<Use>)>) {
        let (at, act) = (self.depth, self.act);
        self.stuck.extend(shut_out.into_iter().map(|(task, used)| Stuck { at, task, used, act }));
        self.act += 1;
        self.open = None;
    }
}
