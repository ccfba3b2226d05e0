//! loom's types: every order of events and every value that the memory model allows.
//!
//! Two traps of loom 0.7.3 that the door goes around. Its own `join` prints to standard error on each call (there is a
//! `dbg!` in it). And an unpark wakes a thread that is blocked on a mutex as well, which then fails with "expected to be
//! able to acquire lock"; so a thread is joined by a flag and not by a mutex, and no thread that parks waits for one that
//! may unpark it late.

use std::sync::{Arc, Mutex as Slot};
use std::time::Duration;

use ::loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use ::loom::sync::{Condvar, Mutex, MutexGuard};
use ::loom::thread::{self, Thread, ThreadId};

use super::{Role, Threads};

/// loom's mocked threads; inside `loom::model` only.
#[derive(Clone, Copy, Debug, Default)]
pub struct Loom;

/// A thread and where it leaves its result.
pub struct Join<T> {
    over: Arc<AtomicBool>,
    result: Arc<Slot<Option<T>>>,
}

impl Threads for Loom {
    type Mutex<T: Send + 'static> = Mutex<T>;
    type Guard<'a, T: Send + 'static> = MutexGuard<'a, T>;
    type Condvar = Condvar;
    type Flag = AtomicBool;
    type Word = AtomicUsize;
    type Id = ThreadId;
    type Thread = Thread;
    type Join<T: Send + 'static> = Join<T>;

    const TIMELESS: bool = true;

    fn mutex<T: Send + 'static>(_: &'static str, value: T) -> Mutex<T> {
        Mutex::new(value)
    }

    fn lock<T: Send + 'static>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().expect("nothing poisons here")
    }

    fn condvar(_: &'static str) -> Condvar {
        Condvar::new()
    }

    fn wait<'a, T: Send + 'static>(condvar: &Condvar, guard: Self::Guard<'a, T>) -> Self::Guard<'a, T> {
        condvar.wait(guard).expect("nothing poisons here")
    }

    /// loom has no time-outs: the wait ends at once.
    fn wait_timeout<'a, T: Send + 'static>(
        _: &Condvar,
        guard: Self::Guard<'a, T>,
        _: Duration,
    ) -> (Self::Guard<'a, T>, bool) {
        (guard, true)
    }

    fn notify_all(condvar: &Condvar) {
        condvar.notify_all();
    }

    fn flag(_: &'static str, value: bool) -> AtomicBool {
        AtomicBool::new(value)
    }

    fn is_set(flag: &AtomicBool, order: Ordering) -> bool {
        flag.load(order)
    }

    fn set(flag: &AtomicBool, value: bool, order: Ordering) {
        flag.store(value, order);
    }

    fn swap_flag(flag: &AtomicBool, value: bool, order: Ordering) -> bool {
        flag.swap(value, order)
    }

    fn word(_: &'static str, value: usize) -> AtomicUsize {
        AtomicUsize::new(value)
    }

    fn load(word: &AtomicUsize, order: Ordering) -> usize {
        word.load(order)
    }

    fn store(word: &AtomicUsize, value: usize, order: Ordering) {
        word.store(value, order);
    }

    fn swap(word: &AtomicUsize, value: usize, order: Ordering) -> usize {
        word.swap(value, order)
    }

    fn fetch_or(word: &AtomicUsize, bits: usize, order: Ordering) -> usize {
        word.fetch_or(bits, order)
    }

    fn fetch_add(word: &AtomicUsize, more: usize, order: Ordering) -> usize {
        word.fetch_add(more, order)
    }

    fn fetch_sub(word: &AtomicUsize, less: usize, order: Ordering) -> usize {
        word.fetch_sub(less, order)
    }

    fn spawn<T: Send + 'static>(_: Role, name: String, body: impl FnOnce() -> T + Send + 'static) -> Join<T> {
        let over = Arc::new(AtomicBool::new(false));
        let result = Arc::new(Slot::new(None));
        let (ending, slot) = (over.clone(), result.clone());
        let thread = thread::Builder::new().name(name).spawn(move || {
            let value = body();
            *slot.lock().expect("a result") = Some(value);
            ending.store(true, Ordering::Release);
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
        thread::current().name().unwrap_or("a thread").into()
    }

    fn current() -> Thread {
        thread::current()
    }

    fn park() {
        thread::park();
    }

    fn unpark(thread: &Thread) {
        thread.unpark();
    }

    fn yield_now() {
        thread::yield_now();
    }

    fn now() -> Duration {
        Duration::ZERO
    }
}
