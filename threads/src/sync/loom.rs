//! loom's types: every order of events and every value that the memory model allows.
//!
//! Two traps of loom 0.7.3 that the door goes around. Its own `join` prints to standard error on each call (there is a
//! `dbg!` in it). And an unpark wakes a thread that is blocked on a mutex as well, which then fails with "expected to be
//! able to acquire lock"; so a thread is joined by a flag and not by a mutex, and no thread that parks waits for one that
//! may unpark it late.
//!
//! loom says how a finding ends, not how it came about, and it takes no schedule. So the door can keep a log: each operation
//! when it has taken effect, with the value that was read. It is on in one execution only, the one that is being told; in
//! all others an operation costs a look at a flag more than loom's own.

use std::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex as Slot};
use std::time::Duration;

use ::loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use ::loom::sync::{Condvar, Mutex, MutexGuard};
use ::loom::thread::{self, Thread, ThreadId};

use super::{Role, Threads};
use crate::check::Violation;

/// What the thread is called that an execution begins with.
pub(crate) const FIRST: &str = "first thread";

/// loom's mocked threads; inside `loom::model` only.
#[derive(Clone, Copy, Debug, Default)]
pub struct Loom;

/// A thread and where it leaves its result.
pub struct Join<T> {
    over: Arc<AtomicBool>,
    result: Arc<Slot<Option<T>>>,
}

/// One of loom's things with the name that stories know it by.
#[derive(Debug)]
pub struct Named<T> {
    inner: T,
    name: &'static str,
}

/// What an execution came to. loom runs all threads as coroutines on one thread of the system.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// Steps are written.
    pub detail: Cell<bool>,
    pub steps: RefCell<Vec<String>>,
    /// Threads by name, and whether they are over; only with `detail`.
    pub threads: RefCell<Vec<(String, bool)>>,
    pub violation: RefCell<Option<Violation>>,
    /// What happened of what was to happen, in all executions.
    pub reached: RefCell<Vec<&'static str>>,
}

impl Log {
    /// Another execution begins.
    pub fn begin(&self, detail: bool) {
        self.detail.set(detail);
        self.violation.take();
        self.steps.take();
        *self.threads.borrow_mut() = vec![(FIRST.into(), false)];
    }

    /// The thread is over.
    pub fn over(&self, name: &str) {
        let mut threads = self.threads.borrow_mut();
        if let Some(thread) = threads.iter_mut().find(|(other, over)| other == name && !over) {
            thread.1 = true;
        }
    }

    /// The threads that are not over.
    pub fn left(&self) -> String {
        let threads = self.threads.borrow();
        let left: Vec<&str> = threads.iter().filter(|(_, over)| !over).map(|(name, _)| name.as_str()).collect();
        left.join(", ")
    }
}

thread_local!(static LOG: Log = Log::default());

impl Loom {
    /// The log of the thread that searches.
    pub(crate) fn log<T>(f: impl FnOnce(&Log) -> T) -> T {
        LOG.with(f)
    }
}

/// The calling thread has done something, or is about to.
#[inline]
fn did(what: impl FnOnce() -> String) {
    if LOG.with(|log| log.detail.get()) {
        told(&what());
    }
}

#[cold]
fn told(what: &str) {
    let step = format!("{}: {what}", Loom::name());
    LOG.with(|log| log.steps.borrow_mut().push(step));
}

impl Threads for Loom {
    type Mutex<T: Send + 'static> = Named<Mutex<T>>;
    type Guard<'a, T: Send + 'static> = MutexGuard<'a, T>;
    type Condvar = Named<Condvar>;
    type Flag = Named<AtomicBool>;
    type Word = Named<AtomicUsize>;
    type Id = ThreadId;
    type Thread = Thread;
    type Join<T: Send + 'static> = Join<T>;

    const TIMELESS: bool = true;

    fn mutex<T: Send + 'static>(name: &'static str, value: T) -> Self::Mutex<T> {
        Named { inner: Mutex::new(value), name }
    }

    fn lock<T: Send + 'static>(mutex: &Self::Mutex<T>) -> MutexGuard<'_, T> {
        let guard = mutex.inner.lock().expect("nothing poisons here");
        did(|| format!("locks the {}", mutex.name));
        guard
    }

    fn condvar(name: &'static str) -> Self::Condvar {
        Named { inner: Condvar::new(), name }
    }

    fn wait<'a, T: Send + 'static>(condvar: &Self::Condvar, guard: Self::Guard<'a, T>) -> Self::Guard<'a, T> {
        did(|| format!("is about to wait on the {}", condvar.name));
        let guard = condvar.inner.wait(guard).expect("nothing poisons here");
        did(|| format!("wakes on the {}", condvar.name));
        guard
    }

    /// loom has no time-outs: the wait ends at once.
    fn wait_timeout<'a, T: Send + 'static>(
        _: &Self::Condvar,
        guard: Self::Guard<'a, T>,
        _: Duration,
    ) -> (Self::Guard<'a, T>, bool) {
        (guard, true)
    }

    fn notify_all(condvar: &Self::Condvar) {
        condvar.inner.notify_all();
        did(|| format!("notifies the {}", condvar.name));
    }

    fn flag(name: &'static str, value: bool) -> Self::Flag {
        Named { inner: AtomicBool::new(value), name }
    }

    fn is_set(flag: &Self::Flag, order: Ordering) -> bool {
        let value = flag.inner.load(order);
        did(|| format!("reads the {} ({order:?}): {value}", flag.name));
        value
    }

    fn set(flag: &Self::Flag, value: bool, order: Ordering) {
        flag.inner.store(value, order);
        did(|| format!("sets the {} to {value} ({order:?})", flag.name));
    }

    fn swap_flag(flag: &Self::Flag, value: bool, order: Ordering) -> bool {
        let before = flag.inner.swap(value, order);
        did(|| format!("sets the {} to {value} ({order:?}), and it was {before}", flag.name));
        before
    }

    fn word(name: &'static str, value: usize) -> Self::Word {
        Named { inner: AtomicUsize::new(value), name }
    }

    fn load(word: &Self::Word, order: Ordering) -> usize {
        let value = word.inner.load(order);
        did(|| format!("reads the {} ({order:?}): {value}", word.name));
        value
    }

    fn store(word: &Self::Word, value: usize, order: Ordering) {
        word.inner.store(value, order);
        did(|| format!("sets the {} to {value} ({order:?})", word.name));
    }

    fn swap(word: &Self::Word, value: usize, order: Ordering) -> usize {
        let before = word.inner.swap(value, order);
        did(|| format!("sets the {} to {value} ({order:?}), and it was {before}", word.name));
        before
    }

    fn fetch_or(word: &Self::Word, bits: usize, order: Ordering) -> usize {
        let before = word.inner.fetch_or(bits, order);
        did(|| format!("sets the {} to {} ({order:?}), and it was {before}", word.name, before | bits));
        before
    }

    fn fetch_add(word: &Self::Word, more: usize, order: Ordering) -> usize {
        let before = word.inner.fetch_add(more, order);
        did(|| format!("sets the {} to {} ({order:?}), and it was {before}", word.name, before.wrapping_add(more)));
        before
    }

    fn fetch_sub(word: &Self::Word, less: usize, order: Ordering) -> usize {
        let before = word.inner.fetch_sub(less, order);
        did(|| format!("sets the {} to {} ({order:?}), and it was {before}", word.name, before.wrapping_sub(less)));
        before
    }

    fn spawn<T: Send + 'static>(_: Role, name: String, body: impl FnOnce() -> T + Send + 'static) -> Join<T> {
        let over = Arc::new(AtomicBool::new(false));
        let result = Arc::new(Slot::new(None));
        let (ending, slot) = (over.clone(), result.clone());
        if LOG.with(|log| log.detail.get()) {
            told(&format!("starts {name}"));
            LOG.with(|log| log.threads.borrow_mut().push((name.clone(), false)));
        }
        let thread = thread::Builder::new().name(name).spawn(move || {
            let value = body();
            *slot.lock().expect("a result") = Some(value);
            ending.store(true, Ordering::Release);
            LOG.with(|log| {
                if log.detail.get() {
                    log.over(&Loom::name())
                }
            });
        });
        drop(thread.expect("loom gives another thread"));
        Join { over, result }
    }

    fn join<T: Send + 'static>(handle: Join<T>) -> T {
        while !handle.over.load(Ordering::Acquire) {
            thread::yield_now();
        }
        let value = handle.result.lock().expect("a result").take();
        value.expect("a thread that is over has left its result")
    }

    fn id() -> ThreadId {
        thread::current().id()
    }

    fn name() -> String {
        thread::current().name().unwrap_or(FIRST).into()
    }

    fn current() -> Thread {
        thread::current()
    }

    fn park() {
        did(|| "is about to park".into());
        thread::park();
        did(|| "goes on after the park".into());
    }

    fn unpark(thread: &Thread) {
        thread.unpark();
        did(|| format!("unparks {}", thread.name().unwrap_or(FIRST)));
    }

    fn yield_now() {
        thread::yield_now();
    }

    fn now() -> Duration {
        Duration::ZERO
    }
}
