//! The threads of the operating system.

use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

use super::{Role, Threads};

/// The standard library's threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Std;

static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);

impl Threads for Std {
    type Mutex<T: Send + 'static> = Mutex<T>;
    type Guard<'a, T: Send + 'static> = MutexGuard<'a, T>;
    type Condvar = Condvar;
    type Flag = AtomicBool;
    type Word = AtomicUsize;
    type Id = u64;
    type Thread = Thread;
    type Join<T: Send + 'static> = JoinHandle<T>;

    const TIMELESS: bool = false;

    fn mutex<T: Send + 'static>(_: &'static str, value: T) -> Mutex<T> {
        Mutex::new(value)
    }

    fn lock<T: Send + 'static>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn condvar(_: &'static str) -> Condvar {
        Condvar::new()
    }

    fn wait<'a, T: Send + 'static>(condvar: &Condvar, guard: Self::Guard<'a, T>) -> Self::Guard<'a, T> {
        condvar.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_timeout<'a, T: Send + 'static>(
        condvar: &Condvar,
        guard: Self::Guard<'a, T>,
        time: Duration,
    ) -> (Self::Guard<'a, T>, bool) {
        let (guard, ended) = condvar.wait_timeout(guard, time).unwrap_or_else(PoisonError::into_inner);
        (guard, ended.timed_out())
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

    fn spawn<T: Send + 'static>(_: Role, name: String, body: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
        thread::Builder::new().name(name).spawn(body).expect("the system gives another thread")
    }

    fn join<T: Send + 'static>(handle: JoinHandle<T>) -> T {
        handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    fn id() -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        thread_local!(static ID: OnceCell<u64> = const { OnceCell::new() });
        ID.with(|id| *id.get_or_init(|| NEXT.fetch_add(1, Ordering::Relaxed)))
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
        BEGAN.elapsed()
    }
}
