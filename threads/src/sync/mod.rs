//! The one door to what threads are made of.
//!
//! Everything in this crate that locks, waits or is woken does it through [`Threads`], so that the same code runs on the
//! threads of the operating system ([`Std`]), under shuttle's scheduler and under loom's memory model (`Shuttle` and
//! `Loom`, with the feature `check`). Which of them it is is a type parameter: no `--cfg` is needed.
//!
//! `Arc` is the standard library's everywhere: wakers are made of it, and shuttle has none of its own either.
#[cfg(feature = "check")]
mod loom;
#[cfg(feature = "check")]
pub(crate) mod shuttle;
mod std;

use ::std::fmt;
use ::std::hash::Hash;
use ::std::ops::DerefMut;
use ::std::sync::atomic::Ordering;
use ::std::time::Duration;

#[cfg(feature = "check")]
pub(crate) use self::loom::FIRST;
#[cfg(feature = "check")]
pub use self::loom::Loom;
#[cfg(feature = "check")]
pub use self::shuttle::Shuttle;
pub use self::std::Std;

/// What a thread is there for. A search treats them differently; real threads are all alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Runs the program. If it never ends, that is a finding.
    Program,
    /// Serves the others. It may wait for ever, but runs whenever it can.
    Daemon,
}

/// A part of what a mutex guards, by a number of its own, and whether it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which.
    pub number: u32,
    /// Written, or only read.
    pub writes: bool,
}

impl Part {
    /// A part that is read.
    pub fn read(number: u32) -> Self {
        Self { number, writes: false }
    }

    /// A part that is written.
    pub fn written(number: u32) -> Self {
        Self { number, writes: true }
    }
}

/// Threads, and what they share.
///
/// Names are for traces: what has the same name is numbered.
pub trait Threads: Copy + Default + fmt::Debug + Send + Sync + 'static {
    /// A mutex. Nothing here poisons: a thread that panics while it holds one ends the process or the execution.
    type Mutex<T: Send + 'static>: Send + Sync;
    /// A locked mutex.
    type Guard<'a, T: Send + 'static>: DerefMut<Target = T>;
    /// A condition variable.
    type Condvar: Send + Sync;
    /// A Boolean that threads share.
    type Flag: Send + Sync;
    /// A number that threads share.
    type Word: Send + Sync;
    /// Which thread.
    type Id: Copy + Eq + Hash + fmt::Debug + Send + Sync;
    /// A thread that can be unparked.
    type Thread: Clone + Send + Sync;
    /// A thread that can be waited for.
    type Join<T: Send + 'static>: Send;

    /// Whether time is a choice: a timed wait may end at any moment, whatever its length.
    const TIMELESS: bool;

    /// A new mutex.
    fn mutex<T: Send + 'static>(name: &'static str, value: T) -> Self::Mutex<T>;
    /// Waits until the mutex is free and locks it.
    fn lock<T: Send + 'static>(mutex: &Self::Mutex<T>) -> Self::Guard<'_, T>;
    /// As [`lock`](Self::lock), with what it is for.
    fn lock_to<T: Send + 'static>(mutex: &Self::Mutex<T>, what: impl FnOnce() -> String) -> Self::Guard<'_, T> {
        let _ = what;
        Self::lock(mutex)
    }
    /// As [`lock_to`](Self::lock_to), by somebody who will only touch these parts of what the mutex guards. A search does not
    /// try both orders of two who touch nothing in common, so nothing else may be looked at; and nothing may be locked,
    /// waited for or woken while the mutex is locked, but by the mutex itself (shuttle's door panics). A word may be used whose
    /// writers all lock a part for it.
    fn lock_parts<'a, T: Send + 'static>(
        mutex: &'a Self::Mutex<T>,
        parts: &[Part],
        what: impl FnOnce() -> String,
    ) -> Self::Guard<'a, T> {
        let _ = parts;
        Self::lock_to(mutex, what)
    }
    /// The calling thread, which has locked the mutex, has also written this part of what it guards.
    fn wrote<T: Send + 'static>(mutex: &Self::Mutex<T>, part: u32) {
        let _ = (mutex, part);
    }

    /// A new condition variable.
    fn condvar(name: &'static str) -> Self::Condvar;
    /// Unlocks, waits for a notification and locks again. The standard library's may end without one; a search does not try
    /// that either. What was locked by parts is locked by these again.
    fn wait<'a, T: Send + 'static>(condvar: &Self::Condvar, guard: Self::Guard<'a, T>) -> Self::Guard<'a, T>;
    /// As [`wait`](Self::wait), for so long at most. `true`: the time was up.
    fn wait_timeout<'a, T: Send + 'static>(
        condvar: &Self::Condvar,
        guard: Self::Guard<'a, T>,
        time: Duration,
    ) -> (Self::Guard<'a, T>, bool);
    /// Wakes all that wait.
    fn notify_all(condvar: &Self::Condvar);

    /// A new flag.
    fn flag(name: &'static str, value: bool) -> Self::Flag;
    /// Reads the flag.
    fn is_set(flag: &Self::Flag, order: Ordering) -> bool;
    /// Writes the flag.
    fn set(flag: &Self::Flag, value: bool, order: Ordering);
    /// Writes the flag and answers what it was.
    fn swap_flag(flag: &Self::Flag, value: bool, order: Ordering) -> bool;

    /// A new number.
    fn word(name: &'static str, value: usize) -> Self::Word;
    /// Reads the number.
    fn load(word: &Self::Word, order: Ordering) -> usize;
    /// Writes the number.
    fn store(word: &Self::Word, value: usize, order: Ordering);
    /// Writes the number and answers what it was.
    fn swap(word: &Self::Word, value: usize, order: Ordering) -> usize;
    /// Sets bits of the number and answers what it was.
    fn fetch_or(word: &Self::Word, bits: usize, order: Ordering) -> usize;
    /// Adds to the number, wrapping, and answers what it was.
    fn fetch_add(word: &Self::Word, more: usize, order: Ordering) -> usize;
    /// Subtracts from the number, wrapping, and answers what it was.
    fn fetch_sub(word: &Self::Word, less: usize, order: Ordering) -> usize;

    /// Starts a thread.
    fn spawn<T: Send + 'static>(role: Role, name: String, body: impl FnOnce() -> T + Send + 'static) -> Self::Join<T>;
    /// Waits for a thread's end.
    fn join<T: Send + 'static>(handle: Self::Join<T>) -> T;
    /// Which thread this is.
    fn id() -> Self::Id;
    /// What this thread is called.
    fn name() -> String;
    /// This thread, to be unparked by another.
    fn current() -> Self::Thread;
    /// Waits until somebody unparks this thread, or has done so already. May end without a reason; a search does not try
    /// that, so a program that parks once, without looking again at what it waits for, is not shown to be wrong by it.
    fn park();
    /// Lets a thread's next or present [`park`](Self::park) end. Two of them before it has ended may be one, as in the
    /// standard library.
    fn unpark(thread: &Self::Thread);
    /// Lets others go first.
    fn yield_now();

    /// Time since the process began; zero where time is a choice.
    fn now() -> Duration;
    /// Lets any amount of time pass, where time is a choice.
    fn let_time_pass(what: impl FnOnce() -> String) {
        let _ = what;
        Self::yield_now();
    }
    /// One of so many things, of which any may happen. Without a search the first.
    fn choose(among: usize) -> usize {
        let _ = among;
        0
    }
    /// As [`choose`](Self::choose), with what each of them is called.
    fn choose_of(among: usize, names: impl Fn(usize) -> String) -> usize {
        let _ = names;
        Self::choose(among)
    }
    /// Tells a trace what the thread is about to do or has seen, where one is being written.
    fn note(what: impl FnOnce() -> String) {
        let _ = what;
    }
}
