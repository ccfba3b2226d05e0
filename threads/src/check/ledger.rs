//! What a search knows of an execution: who the threads are, what each is about to do, what has been found.
//!
//! shuttle runs all threads of an execution as coroutines on one thread of the system, so the ledger is a thread-local
//! value. The door writes it, the scheduler reads it.

use std::cell::{Cell, RefCell};

use super::op::{Op, Use, What, life, owner_of, place_of};
use crate::sync::Role;

/// A thread of an execution, by its place in the order in which they were started; 0 is the one that sets the stage.
pub(crate) type Task = usize;

pub(crate) struct TaskState {
    pub name: String,
    pub role: Role,
    pub pending: Op,
    /// What is pending after that, one after the other.
    pub then: [Option<Op>; 2],
    /// What the thread's next operation comes after without fail.
    pub after: Vec<Use>,
    /// What it is for, where a trace is being written.
    pub text: Option<String>,
    pub over: bool,
    objects: Vec<(&'static str, Kind)>,
}

/// What an object is: a mutex and a condition variable of the same name are told apart by what is done with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Mutex,
    Condvar,
    /// A word or a flag.
    Word,
}

/// A mutex that is locked, and who has locked it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub mutex: u32,
    pub by: Task,
    /// Parts of what it guards only.
    pub parts: bool,
}

/// What the thread that sets the stage waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Runs,
    /// Until nothing is left to happen.
    Rest,
    /// The same, and it does not matter how it comes to it.
    Settles,
    /// Nothing more is of interest.
    Over,
}

/// A property that was violated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Its name.
    pub property: String,
    /// How, in a sentence.
    pub because: String,
}

#[derive(Default)]
pub(crate) struct State {
    pub tasks: Vec<TaskState>,
    pub violation: Option<Violation>,
    /// Things that were to happen in some execution, and did.
    pub reached: Vec<&'static str>,
    /// What the present step has used without an operation of its own.
    pub used: Vec<Use>,
    /// Mutexes that are locked.
    pub held: Vec<Held>,
}

/// Answers what is chosen: among how many, and what each of them is called.
pub(crate) type Chooser = Box<dyn FnMut(usize, &dyn Fn(usize) -> String) -> usize>;

pub(crate) struct Ledger {
    /// One of our schedulers is at work.
    pub scheduled: Cell<bool>,
    /// Texts are written.
    pub detail: Cell<bool>,
    /// Nothing is left to be chosen: the stage is being cleared.
    pub clearing: Cell<bool>,
    pub current: Cell<Task>,
    pub stage: Cell<Stage>,
    pub state: RefCell<State>,
    pub chooser: RefCell<Option<Chooser>>,
    /// What lets daemons end.
    pub closers: RefCell<Vec<Box<dyn FnOnce()>>>,
}

thread_local! {
    static LEDGER: Ledger = const {
        Ledger {
            scheduled: Cell::new(false),
            detail: Cell::new(false),
            clearing: Cell::new(false),
            current: Cell::new(0),
            stage: Cell::new(Stage::Runs),
            state: RefCell::new(State { tasks: Vec::new(), violation: None, reached: Vec::new(), used: Vec::new(), held: Vec::new() }),
            chooser: RefCell::new(None),
            closers: RefCell::new(Vec::new()),
        }
    };
}

pub(crate) fn with<T>(f: impl FnOnce(&Ledger) -> T) -> T {
    LEDGER.with(f)
}

impl Ledger {
    /// A new execution begins.
    pub fn reset(&self) {
        self.current.set(0);
        self.stage.set(Stage::Runs);
        self.clearing.set(false);
        self.closers.borrow_mut().clear();
        let mut state = self.state.borrow_mut();
        state.tasks.clear();
        state.used.clear();
        state.held.clear();
        state.tasks.push(TaskState::new("stage".into(), Role::Daemon));
    }

    /// The current thread is about to do something.
    #[inline]
    pub fn announce(&self, op: Op) {
        let mut state = self.state.borrow_mut();
        let current = self.current.get();
        let by_parts = state.held.iter().any(|held| held.parts && held.by == current);
        if by_parts && !op.what.may_stand_among_parts() {
            drop(state);
            panic!(
                "a thread that has locked a mutex by parts does more than the parts say ({:?}): see `lock_parts`",
                op.what
            );
        }
        if let Some(task) = state.tasks.get_mut(current) {
            task.pending = op;
            task.then = [None; 2];
            if task.text.is_some() {
                task.text = None;
            }
        }
    }

    /// As [`announce`](Self::announce), with what it is for.
    pub fn announce_to(&self, op: Op, text: impl FnOnce() -> String) {
        self.announce(op);
        if self.detail.get() {
            // The text may look at what the door guards.
            let text = text();
            if let Some(task) = self.state.borrow_mut().tasks.get_mut(self.current.get()) {
                task.text = Some(text);
            }
        }
    }

    /// A mutex is locked.
    pub fn hold(&self, mutex: u32, parts: bool) {
        if self.scheduled.get() {
            let by = self.current.get();
            self.state.borrow_mut().held.push(Held { mutex, by, parts });
        }
    }

    /// The present step uses something without an operation of its own.
    pub fn uses(&self, used: Use) {
        if self.scheduled.get() {
            self.state.borrow_mut().used.push(used);
        }
    }

    /// What is pending once the announced operation has begun, one after the other.
    pub fn then(&self, ops: [Op; 2]) {
        if let Some(task) = self.state.borrow_mut().tasks.get_mut(self.current.get()) {
            task.then = ops.map(Some);
        }
    }

    /// A thread is started.
    pub fn start(&self, task: Task, name: String, role: Role) {
        if !self.scheduled.get() {
            return;
        }
        let mut state = self.state.borrow_mut();
        while state.tasks.len() < task {
            state.tasks.push(TaskState::new("thread".into(), Role::Daemon));
        }
        let mut it = TaskState::new(state.unique(name), role);
        it.after.push(Use::follows(life(task)));
        state.tasks.push(it);
        state.used.push(Use::first(life(task)));
    }

    /// The current thread is over.
    pub fn end(&self) {
        if !self.scheduled.get() {
            return;
        }
        let current = self.current.get();
        let mut state = self.state.borrow_mut();
        state.used.push(Use::first(life(current)));
        if let Some(task) = state.tasks.get_mut(current) {
            task.over = true;
        }
    }

    /// The number of a new object of the current thread.
    pub fn object(&self, name: &'static str, kind: Kind) -> u32 {
        if !self.scheduled.get() {
            // Nobody searches.
            return super::op::NOTHING;
        }
        let mut state = self.state.borrow_mut();
        let current = self.current.get();
        let Some(task) = state.tasks.get_mut(current) else { return super::op::NOTHING };
        task.objects.push((name, kind));
        super::op::object(current, task.objects.len() - 1)
    }

    /// Chooses one of so many, which are called something.
    pub fn choose(&self, among: usize, names: &dyn Fn(usize) -> String) -> usize {
        if among < 2 {
            return 0;
        }
        match &mut *self.chooser.borrow_mut() {
            Some(chooser) if !self.clearing.get() && self.stage.get() != Stage::Settles => chooser(among, names),
            _ => 0,
        }
    }

    /// What the current thread is called.
    pub fn name(&self) -> String {
        self.state.borrow().tasks.get(self.current.get()).map_or(String::new(), |task| task.name.clone())
    }
}

impl TaskState {
    pub fn new(name: String, role: Role) -> Self {
        let pending = Op::new(What::Begin);
        Self { name, role, pending, then: [None; 2], after: Vec::new(), text: None, over: false, objects: Vec::new() }
    }
}

impl State {
    /// Whether the thread is about to lock what somebody has locked.
    pub fn is_shut_out(&self, task: Task) -> bool {
        let held = |mutex| self.held.iter().any(|held| held.mutex == mutex);
        let waits = |it: &TaskState| !it.over && it.pending.what == What::Lock && held(it.pending.on());
        self.tasks.get(task).is_some_and(waits)
    }

    /// What a thread is about to do, in words.
    pub fn describe(&self, task: Task) -> String {
        let it = &self.tasks[task];
        if let Some(text) = &it.text {
            return format!("{}: {text}", it.name);
        }
        let on = || self.name(it.pending.on(), task);
        let does = match it.pending.what {
            What::Begin => "begins".into(),
            What::Lock => format!("locks {}", on()),
            What::Unlock => format!("unlocks {}", on()),
            What::Wait => format!("waits on {}", on()),
            What::TimedWait => format!("waits on {} for a time", on()),
            What::Wake => format!("wakes on {}", on()),
            What::Notify => format!("notifies {}", on()),
            What::Read => format!("reads {}", on()),
            What::Write => format!("writes {}", on()),
            What::Park => "parks".into(),
            What::Parked => "is unparked".into(),
            What::Unpark => format!("unparks {}", on()),
            What::Spawn => "starts a thread".into(),
            What::Join => format!("waits for the end of {}", on()),
            What::Yield => "goes on".into(),
            What::Pass => "time passes".into(),
        };
        format!("{}: {does}", it.name)
    }

    /// A name for a thread that no other one has: the first keeps it as it is, later ones are numbered.
    fn unique(&self, name: String) -> String {
        let taken = |name: &str| self.tasks.iter().any(|task| task.name == name);
        if !taken(&name) {
            return name;
        }
        (2..).map(|number| format!("{name} {number}")).find(|name| !taken(name)).unwrap_or(name)
    }

    /// What an object is called by the thread that uses it. Objects of the stage go by their name, those of a thread by
    /// whose they are. Among the same of one owner the first keeps its name, and later ones are numbered as they were made:
    /// a name never changes, and does not depend on the order in which threads run.
    fn name(&self, object: u32, by: Task) -> String {
        let owner = owner_of(object);
        let Some(task) = self.tasks.get(owner) else { return "something".into() };
        let Some(at) = place_of(object) else { return task.name.clone() };
        let Some(own) = task.objects.get(at) else { return "something".into() };
        let mut name = own.0.to_owned();
        let before = task.objects[..at].iter().filter(|other| *other == own).count();
        if before > 0 {
            name = format!("{name} {}", before + 1);
        }
        match owner {
            0 => format!("the {name}"),
            _ if owner == by => format!("its {name}"),
            _ => format!("the {name} of {}", task.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::op::{Op, object};

    fn state() -> State {
        let mut state = State::default();
        for name in ["stage", "worker", "worker", "worker 2", "worker"] {
            let name = state.unique(name.into());
            state.tasks.push(TaskState::new(name, Role::Program));
        }
        state
    }

    #[test]
    fn no_two_threads_have_the_same_name() {
        let names: Vec<String> = state().tasks.into_iter().map(|task| task.name).collect();
        assert_eq!(names, ["stage", "worker", "worker 2", "worker 2 2", "worker 3"]);
    }

    #[test]
    fn objects_of_one_name_are_told_apart() {
        let mut state = state();
        let lists = ("lists", Kind::Mutex);
        state.tasks[0].objects = vec![lists, ("lists", Kind::Condvar)];
        state.tasks[1].objects = vec![lists];
        let mut told = |by: Task, what, on| {
            state.tasks[by].pending = Op::of(what, on);
            state.describe(by)
        };
        assert_eq!(told(1, What::Lock, object(0, 0)), "worker: locks the lists");
        assert_eq!(told(1, What::Notify, object(0, 1)), "worker: notifies the lists");
        assert_eq!(told(1, What::Lock, object(1, 0)), "worker: locks its lists");
        assert_eq!(told(2, What::Lock, object(1, 0)), "worker 2: locks the lists of worker");
        state.tasks[0].objects.push(lists);
        let mut told = |by: Task, what, on| {
            state.tasks[by].pending = Op::of(what, on);
            state.describe(by)
        };
        // The first is still called as before.
        assert_eq!(told(1, What::Lock, object(0, 0)), "worker: locks the lists");
        assert_eq!(told(1, What::Lock, object(0, 2)), "worker: locks the lists 2");
    }
}
