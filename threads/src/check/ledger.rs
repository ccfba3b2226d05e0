//! What a search knows of an execution: who the threads are, what each is about to do, what has been found.
//!
//! shuttle runs all threads of an execution as coroutines on one thread of the system, so the ledger is a thread-local
//! value. The door writes it, the scheduler reads it.

use std::cell::{Cell, RefCell};

use crate::sync::Role;

/// A thread of an execution, by its place in the order in which they were started; 0 is the one that sets the stage.
pub(crate) type Task = usize;

/// No object.
pub(crate) const NONE: u32 = u32::MAX;
/// What all starts of threads have in common: they number the threads.
pub(crate) const STARTS: u32 = u32::MAX - 1;
/// Everything.
pub(crate) const ALL: u32 = u32::MAX - 2;
/// Bits of an object's number that count the objects of the thread that made it.
const COUNT_BITS: u32 = 20;
/// The objects of a thread that are the thread itself, seen from others.
const SELF: u32 = (1 << COUNT_BITS) - 1;

/// What a thread is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum What {
    Begin,
    Lock,
    Unlock,
    Wait,
    TimedWait,
    Wake,
    Notify,
    Read,
    Write,
    Park,
    Unpark,
    Spawn,
    Join,
    Yield,
    Pass,
}

/// An operation on shared things. Numbers of objects do not depend on the order of events: each is made of the thread
/// that made the object and its count there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Op {
    pub what: What,
    pub on: u32,
    /// The mutex of a wait.
    pub also: u32,
}

impl Op {
    pub fn new(what: What, on: u32) -> Self {
        Self { what, on, also: NONE }
    }

    /// Whether the order of the two can make a difference.
    pub fn conflicts(self, other: Op) -> bool {
        let reads = |op: Op| op.what == What::Read;
        if reads(self) && reads(other) {
            return false;
        }
        if self.on == ALL || other.on == ALL {
            return true;
        }
        let meets = |a: u32, b: u32| a != NONE && a == b;
        meets(self.on, other.on)
            || meets(self.on, other.also)
            || meets(self.also, other.on)
            || meets(self.also, other.also)
    }
}

/// The thread as an object: what parks, unparks and joins are about.
pub(crate) fn token(task: Task) -> u32 {
    (task as u32) << COUNT_BITS | SELF
}

pub(crate) struct TaskState {
    pub name: String,
    pub role: Role,
    pub pending: Op,
    /// What is pending once the present operation has begun.
    pub then: Option<Op>,
    /// What it is for, where a trace is being written.
    pub text: Option<String>,
    pub over: bool,
    objects: Vec<&'static str>,
}

/// What the thread that sets the stage waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Runs,
    /// Until nothing is left to happen but faults.
    Rest,
    /// Until the thread is over.
    Join(Task),
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
    /// Objects that the present step has touched without an operation of its own.
    pub touched: Vec<u32>,
}

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
    /// Answers [`choose`].
    pub chooser: RefCell<Option<Box<dyn FnMut(usize) -> usize>>>,
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
            state: RefCell::new(State { tasks: Vec::new(), violation: None, reached: Vec::new(), touched: Vec::new() }),
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
        state.touched.clear();
        state.tasks.push(TaskState::new("stage".into(), Role::Daemon));
    }

    /// The current thread is about to do something.
    #[inline]
    pub fn announce(&self, op: Op) {
        let mut state = self.state.borrow_mut();
        if let Some(task) = state.tasks.get_mut(self.current.get()) {
            task.pending = op;
            task.then = None;
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

    /// What is pending once the announced operation has begun.
    pub fn then(&self, op: Op) {
        if let Some(task) = self.state.borrow_mut().tasks.get_mut(self.current.get()) {
            task.then = Some(op);
        }
    }

    /// The present step touches an object without an operation of its own.
    pub fn touch(&self, object: u32) {
        self.state.borrow_mut().touched.push(object);
    }

    /// A thread is started.
    pub fn start(&self, task: Task, name: String, role: Role) {
        let mut state = self.state.borrow_mut();
        while state.tasks.len() < task {
            state.tasks.push(TaskState::new("thread".into(), Role::Daemon));
        }
        state.tasks.push(TaskState::new(name, role));
    }

    /// A thread is over.
    pub fn end(&self, task: Task) {
        if let Some(task) = self.state.borrow_mut().tasks.get_mut(task) {
            task.over = true;
        }
    }

    /// The number of a new object of the current thread.
    pub fn object(&self, name: &'static str) -> u32 {
        let mut state = self.state.borrow_mut();
        let current = self.current.get();
        let Some(task) = state.tasks.get_mut(current) else { return NONE };
        task.objects.push(name);
        (current as u32) << COUNT_BITS | (task.objects.len() as u32 - 1)
    }
}

impl TaskState {
    pub fn new(name: String, role: Role) -> Self {
        let pending = Op::new(What::Begin, NONE);
        Self { name, role, pending, then: None, text: None, over: false, objects: Vec::new() }
    }
}

impl State {
    /// What a thread is about to do, in words.
    pub fn describe(&self, task: Task) -> String {
        let it = &self.tasks[task];
        if let Some(text) = &it.text {
            return format!("{}: {text}", it.name);
        }
        let on = || self.name(it.pending.on);
        let does = match it.pending.what {
            What::Begin if it.role == Role::Fault => return it.name.clone(),
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
            What::Unpark => format!("unparks {}", on()),
            What::Spawn => "starts a thread".into(),
            What::Join => format!("waits for the end of {}", on()),
            What::Yield => "goes on".into(),
            What::Pass => "time passes".into(),
        };
        format!("{}: {does}", it.name)
    }

    /// The name of an object, numbered where the thread that made it has made several of that name.
    fn name(&self, object: u32) -> String {
        if object >= ALL {
            return "something".into();
        }
        let Some(task) = self.tasks.get((object >> COUNT_BITS) as usize) else { return "something".into() };
        let at = object & SELF;
        if at == SELF {
            return task.name.clone();
        }
        let name = task.objects[at as usize];
        let same = |objects: &[&str]| objects.iter().filter(|other| **other == name).count();
        match same(&task.objects) {
            1 => format!("the {name}"),
            _ => format!("the {name} {}", same(&task.objects[..=at as usize])),
        }
    }
}

/// Chooses one of so many.
pub(crate) fn choose(among: usize) -> usize {
    if among < 2 {
        return 0;
    }
    with(|ledger| match &mut *ledger.chooser.borrow_mut() {
        Some(chooser) if !ledger.clearing.get() => chooser(among),
        _ => 0,
    })
}
