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

use super::{Part, Role, Threads};
use crate::check::ledger::{Kind, Task, with};
use crate::check::op::{Op, STARTS, Use, Uses, What, life, part, token};

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
    fn new(name: &'static str, kind: Kind, inner: T) -> Self {
        Self { inner, number: with(|ledger| ledger.object(name, kind)) }
    }

    #[inline]
    fn about_to(&self, what: What) -> &T {
        with(|ledger| ledger.announce(Op::of(what, self.number)));
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
    /// What it was locked for.
    uses: Uses,
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
            with(|ledger| ledger.announce(Op { what: What::Unlock, uses: self.uses.map(Use::released) }));
            self.inner = None;
        }
    }
}

/// A thread to be waited for, with its place in the ledger.
#[derive(Debug)]
pub struct Join<T> {
    handle: JoinHandle<T>,
    task: Task,
}

/// A thread to be unparked, with its place in the ledger.
#[derive(Clone, Debug)]
pub struct Parked {
    thread: Thread,
    task: Task,
}

fn locked<T>(mutex: &Named<Mutex<T>>, uses: Uses) -> Guard<'_, T> {
    let inner = mutex.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    with(|ledger| ledger.hold(mutex.number, by_parts(&uses)));
    Guard { mutex, inner: Some(inner), uses }
}

/// Whoever locks the whole writes it, who locks parts reads it.
fn by_parts(uses: &Uses) -> bool {
    !uses[0].writes
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
        Named::new(name, Kind::Mutex, Mutex::new(value))
    }

    fn lock<T: Send + 'static>(mutex: &Self::Mutex<T>) -> Guard<'_, T> {
        let op = Op::of(What::Lock, mutex.number);
        with(|ledger| ledger.announce(op));
        locked(mutex, op.uses)
    }

    fn lock_to<T: Send + 'static>(mutex: &Self::Mutex<T>, what: impl FnOnce() -> String) -> Guard<'_, T> {
        let op = Op::of(What::Lock, mutex.number);
        with(|ledger| ledger.announce_to(op, what));
        locked(mutex, op.uses)
    }

    fn lock_parts<'a, T: Send + 'static>(
        mutex: &'a Self::Mutex<T>,
        parts: &[Part],
        what: impl FnOnce() -> String,
    ) -> Self::Guard<'a, T> {
        let used = |it: &Part| match it.writes {
            true => Use::writes(part(mutex.number, it.number)),
            false => Use::reads(part(mutex.number, it.number)),
        };
        let op = Op::new(What::Lock).and(Use::reads(mutex.number));
        let op = parts.iter().fold(op, |op, part| op.and(used(part)));
        with(|ledger| ledger.announce_to(op, what));
        locked(mutex, op.uses)
    }

    fn wrote<T: Send + 'static>(mutex: &Self::Mutex<T>, number: u32) {
        with(|ledger| ledger.uses(Use::writes(part(mutex.number, number))));
    }

    fn condvar(name: &'static str) -> Self::Condvar {
        Named::new(name, Kind::Condvar, Bell { inner: Condvar::new(), notified: Default::default() })
    }

    fn wait<'a, T: Send + 'static>(condvar: &Self::Condvar, mut guard: Self::Guard<'a, T>) -> Self::Guard<'a, T> {
        let (mutex, uses) = (guard.mutex, guard.uses);
        with(|ledger| {
            let released = uses.map(Use::released);
            ledger.announce(released.into_iter().fold(Op::of(What::Wait, condvar.number), Op::and));
            ledger.then([Op::of(What::Wake, condvar.number), Op { what: What::Lock, uses }]);
        });
        let inner = guard.inner.take().expect("locked");
        let inner = condvar.inner.inner.wait(inner).unwrap_or_else(std::sync::PoisonError::into_inner);
        with(|ledger| ledger.hold(mutex.number, by_parts(&uses)));
        Guard { mutex, inner: Some(inner), uses }
    }

    /// Ends as soon as the scheduler likes: later is the same as not having been scheduled.
    fn wait_timeout<'a, T: Send + 'static>(
        condvar: &Self::Condvar,
        guard: Self::Guard<'a, T>,
        _: Duration,
    ) -> (Self::Guard<'a, T>, bool) {
        let (mutex, uses) = (guard.mutex, guard.uses);
        let notified = || condvar.inner.notified.load(Ordering::Relaxed);
        with(|ledger| ledger.uses(Use::reads(condvar.number)));
        let before = notified();
        drop(guard);
        with(|ledger| ledger.announce(Op::of(What::TimedWait, condvar.number)));
        thread::yield_now();
        let timed_out = notified() == before;
        with(|ledger| ledger.announce(Op { what: What::Lock, uses }));
        (locked(mutex, uses), timed_out)
    }

    fn notify_all(condvar: &Self::Condvar) {
        let bell = condvar.about_to(What::Notify);
        bell.inner.notify_all();
        bell.notified.fetch_add(1, Ordering::Relaxed);
    }

    fn flag(name: &'static str, value: bool) -> Self::Flag {
        Named::new(name, Kind::Word, AtomicBool::new(value))
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
        Named::new(name, Kind::Word, AtomicUsize::new(value))
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
        with(|ledger| ledger.announce(Op::of(What::Spawn, STARTS)));
        let handle = thread::spawn(move || {
            let value = body();
            with(|ledger| ledger.end());
            value
        });
        // The new thread has not run yet: starting one is the last thing that this step does.
        let task = usize::from(handle.thread().id());
        with(|ledger| ledger.start(task, name, role));
        Join { handle, task }
    }

    fn join<T: Send + 'static>(handle: Join<T>) -> T {
        with(|ledger| ledger.announce(Op::of(What::Join, life(handle.task))));
        let value = handle.handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        // shuttle switches only where the thread has to wait.
        with(|ledger| ledger.uses(Use::follows(life(handle.task))));
        value
    }

    fn id() -> usize {
        with(|ledger| ledger.current.get())
    }

    fn name() -> String {
        with(|ledger| ledger.name())
    }

    fn current() -> Parked {
        Parked { thread: thread::current(), task: Self::id() }
    }

    fn park() {
        let own = token(Self::id());
        // The standard library may make one of two unparks that come while the thread is parked. Here the thread goes on at the
        // first of them, and the second one is kept; but nobody can see whether a thread has begun to park, so the same
        // comes of both unparks before the park, where they are one here too.
        with(|ledger| ledger.announce(Op::of(What::Park, own)));
        // shuttle switches only where the thread has to wait, and then too late to let others unpark it twice before.
        AtomicBool::new(true).load(Ordering::SeqCst);
        with(|ledger| ledger.announce(Op::of(What::Parked, own)));
        thread::park();
    }

    fn unpark(thread: &Parked) {
        with(|ledger| ledger.announce(Op::of(What::Unpark, token(thread.task))));
        thread.thread.unpark();
    }

    fn yield_now() {
        with(|ledger| ledger.announce(Op::new(What::Yield)));
        thread::yield_now();
    }

    fn now() -> Duration {
        Duration::ZERO
    }

    fn let_time_pass(what: impl FnOnce() -> String) {
        with(|ledger| ledger.announce_to(Op::new(What::Pass), what));
        thread::yield_now();
    }

    fn choose(among: usize) -> usize {
        Self::choose_of(among, |number| format!("takes {} of {among}", number + 1))
    }

    fn choose_of(among: usize, names: impl Fn(usize) -> String) -> usize {
        with(|ledger| ledger.choose(among, &names))
    }
}

// A cell would make the door's types stay on one thread.
const _: fn() = || {
    fn both<T: Send + Sync>() {}
    both::<Named<Mutex<Cell<u8>>>>();
    both::<Named<Bell>>();
};
