//! shuttle's types, each operation announced to the ledger before it happens, so that schedules are told in words.
//!
//! Orderings are all sequentially consistent here: what the memory model allows beyond that is loom's matter. A timed
//! wait may end at any moment (shuttle itself models no time: its own `wait_timeout` never times out).

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::Ordering;
use std::time::Duration;

use ::shuttle::sync::atomic::{AtomicBool, AtomicUsize};
use ::shuttle::sync::{Condvar, Mutex, MutexGuard};
use ::shuttle::thread::{self, JoinHandle, Thread};

use super::{Role, Threads};
use crate::check::ledger::{self, Op, Stage, What, token, with};

/// shuttle's coroutines; inside one of its executions only.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shuttle;

/// One of shuttle's things with the number that traces know it by.
#[derive(Debug)]
pub struct Named<T> {
    inner: T,
    number: u32,
}

impl<T> Named<T> {
    fn new(name: &'static str, inner: T) -> Self {
        Self { inner, number: with(|ledger| ledger.object(name)) }
    }

    #[inline]
    fn about_to(&self, what: What) -> &T {
        with(|ledger| ledger.announce(Op::new(what, self.number)));
        &self.inner
    }
}

/// A condition variable that also says whether a timed wait was notified.
#[derive(Debug)]
pub struct Bell {
    inner: Condvar,
    /// How often it was notified. One thread of the system runs all: a cell would do but for `Sync`.
    notified: std::sync::atomic::AtomicUsize,
}

/// A locked mutex.
pub struct Guard<'a, T> {
    mutex: &'a Named<Mutex<T>>,
    inner: Option<MutexGuard<'a, T>>,
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.inner.as_ref().expect("locked")
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.inner.as_mut().expect("locked")
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        if self.inner.is_some() {
            self.mutex.about_to(What::Unlock);
            self.inner = None;
        }
    }
}

/// A thread to be waited for, with its place in the ledger.
#[derive(Debug)]
pub struct Join<T> {
    handle: JoinHandle<T>,
    task: ledger::Task,
}

/// A thread to be unparked, with its place in the ledger.
#[derive(Clone, Debug)]
pub struct Parked {
    thread: Thread,
    task: ledger::Task,
}

fn locked<'a, T>(mutex: &'a Named<Mutex<T>>) -> Guard<'a, T> {
    let inner = mutex.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    Guard { mutex, inner: Some(inner) }
}

impl Threads for Shuttle {
    type Mutex<T: Send + 'static> = Named<Mutex<T>>;
    type Guard<'a, T: Send + 'static> = Guard<'a, T>;
    type Condvar = Named<Bell>;
    type Flag = Named<AtomicBool>;
    type Word = Named<AtomicUsize>;
    type Id = usize;
    type Thread = Parked;
    type Join<T: Send + 'static> = Join<T>;

    const TIMELESS: bool = true;

    fn mutex<T: Send + 'static>(name: &'static str, value: T) -> Self::Mutex<T> {
        Named::new(name, Mutex::new(value))
    }

    fn lock<T: Send + 'static>(mutex: &Self::Mutex<T>) -> Guard<'_, T> {
        mutex.about_to(What::Lock);
        locked(mutex)
    }

    fn lock_to<T: Send + 'static>(mutex: &Self::Mutex<T>, what: impl FnOnce() -> String) -> Guard<'_, T> {
        with(|ledger| ledger.announce_to(Op::new(What::Lock, mutex.number), what));
        locked(mutex)
    }

    fn condvar(name: &'static str) -> Self::Condvar {
        Named::new(name, Bell { inner: Condvar::new(), notified: Default::default() })
    }

    fn wait<'a, T: Send + 'static>(condvar: &Self::Condvar, mut guard: Self::Guard<'a, T>) -> Self::Guard<'a, T> {
        let mutex = guard.mutex;
        with(|ledger| {
            ledger.announce(Op { what: What::Wait, on: condvar.number, also: mutex.number });
            let wake = Op { what: What::Wake, on: condvar.number, also: mutex.number };
            ledger.then(wake);
        });
        let inner = guard.inner.take().expect("locked");
        let inner = condvar.inner.inner.wait(inner).unwrap_or_else(std::sync::PoisonError::into_inner);
        Guard { mutex, inner: Some(inner) }
    }

    /// Ends as soon as the scheduler likes: later is the same as not having been scheduled.
    fn wait_timeout<'a, T: Send + 'static>(
        condvar: &Self::Condvar,
        guard: Self::Guard<'a, T>,
        _: Duration,
    ) -> (Self::Guard<'a, T>, bool) {
        let mutex = guard.mutex;
        let notified = || condvar.inner.notified.load(Ordering::Relaxed);
        let before = notified();
        drop(guard);
        with(|ledger| ledger.announce(Op { what: What::TimedWait, on: condvar.number, also: mutex.number }));
        thread::yield_now();
        (Self::lock(mutex), notified() == before)
    }

    fn notify_all(condvar: &Self::Condvar) {
        let bell = condvar.about_to(What::Notify);
        bell.inner.notify_all();
        bell.notified.fetch_add(1, Ordering::Relaxed);
    }

    fn flag(name: &'static str, value: bool) -> Self::Flag {
        Named::new(name, AtomicBool::new(value))
    }

    fn is_set(flag: &Self::Flag, _: Ordering) -> bool {
        flag.about_to(What::Read).load(Ordering::SeqCst)
    }

    fn set(flag: &Self::Flag, value: bool, _: Ordering) {
        flag.about_to(What::Write).store(value, Ordering::SeqCst);
    }

    fn swap_flag(flag: &Self::Flag, value: bool, _: Ordering) -> bool {
        flag.about_to(What::Write).swap(value, Ordering::SeqCst)
    }

    fn word(name: &'static str, value: usize) -> Self::Word {
        Named::new(name, AtomicUsize::new(value))
    }

    fn load(word: &Self::Word, _: Ordering) -> usize {
        word.about_to(What::Read).load(Ordering::SeqCst)
    }

    fn store(word: &Self::Word, value: usize, _: Ordering) {
        word.about_to(What::Write).store(value, Ordering::SeqCst);
    }

    fn swap(word: &Self::Word, value: usize, _: Ordering) -> usize {
        word.about_to(What::Write).swap(value, Ordering::SeqCst)
    }

    fn fetch_or(word: &Self::Word, bits: usize, _: Ordering) -> usize {
        word.about_to(What::Write).fetch_or(bits, Ordering::SeqCst)
    }

    fn fetch_add(word: &Self::Word, more: usize, _: Ordering) -> usize {
        word.about_to(What::Write).fetch_add(more, Ordering::SeqCst)
    }

    fn fetch_sub(word: &Self::Word, less: usize, _: Ordering) -> usize {
        word.about_to(What::Write).fetch_sub(less, Ordering::SeqCst)
    }

    fn spawn<T: Send + 'static>(role: Role, name: String, body: impl FnOnce() -> T + Send + 'static) -> Join<T> {
        with(|ledger| ledger.announce(Op::new(What::Spawn, ledger::STARTS)));
        let handle = thread::spawn(move || {
            let value = body();
            with(|ledger| ledger.end(ledger.current.get()));
            value
        });
        // The new thread has not run yet: starting one is the last thing that this step does.
        let task = usize::from(handle.thread().id());
        with(|ledger| ledger.start(task, name, role));
        Join { handle, task }
    }

    fn join<T: Send + 'static>(handle: Join<T>) -> T {
        let task = handle.task;
        with(|ledger| {
            ledger.announce(Op::new(What::Join, token(task)));
            if ledger.scheduled.get() && ledger.current.get() == 0 {
                ledger.stage.set(Stage::Join(task));
            }
        });
        if with(|ledger| ledger.stage.get() == Stage::Join(task)) {
            thread::yield_now();
        }
        handle.handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    fn id() -> usize {
        with(|ledger| ledger.current.get())
    }

    fn name() -> String {
        with(|ledger| ledger.state.borrow().tasks.get(ledger.current.get()).map_or(String::new(), |it| it.name.clone()))
    }

    fn current() -> Parked {
        Parked { thread: thread::current(), task: Self::id() }
    }

    fn park() {
        with(|ledger| {
            let own = token(ledger.current.get());
            ledger.announce(Op::new(What::Park, own));
            // Where the thread is unparked already, shuttle lets it go on at once.
            ledger.touch(own);
        });
        thread::park();
    }

    fn unpark(thread: &Parked) {
        with(|ledger| ledger.announce(Op::new(What::Unpark, token(thread.task))));
        thread.thread.unpark();
    }

    fn yield_now() {
        with(|ledger| ledger.announce(Op::new(What::Yield, ledger::NONE)));
        thread::yield_now();
    }

    fn now() -> Duration {
        Duration::ZERO
    }

    fn let_time_pass(what: impl FnOnce() -> String) {
        with(|ledger| ledger.announce_to(Op::new(What::Pass, ledger::NONE), what));
        thread::yield_now();
    }

    fn choose(among: usize) -> usize {
        ledger::choose(among)
    }
}

// A cell would make the door's types stay on one thread.
const _: fn() = || {
    fn both<T: Send + Sync>() {}
    both::<Named<Mutex<Cell<u8>>>>();
    both::<Named<Bell>>();
};
