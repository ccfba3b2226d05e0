//! The wake-up cell: how the thread that delivers hands over to the thread that waits.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Wake;

use crate::sync::Threads;

/// Something happened that a future waited for.
pub const EVENT: usize = 1;
/// The waiting thread was interrupted.
pub const INTERRUPT: usize = 2;

/// A cell of one waiting thread, for one call. Others post notes, any number of them and at any time; a note stays.
///
/// The notes are written first and the flag after them, so whoever finds the flag set finds the notes: `Release` on the
/// one side and `Acquire` on the other, both on the flag. Nothing is lost between a look at the flag and going to sleep,
/// since an unpark that comes first lets the park end at once.
pub struct WakeCell<S: Threads> {
    woken: S::Flag,
    notes: S::Word,
    thread: S::Thread,
}

impl<S: Threads> WakeCell<S> {
    /// The cell of the calling thread, which alone may [`wait`](Self::wait).
    pub fn new() -> Self {
        Self { woken: S::flag("wake-up flag", false), notes: S::word("notes", 0), thread: S::current() }
    }

    /// Leaves notes and wakes the thread.
    pub fn post(&self, notes: usize) {
        S::fetch_or(&self.notes, notes, Ordering::Relaxed);
        if !S::swap_flag(&self.woken, true, Ordering::Release) {
            S::unpark(&self.thread);
        }
    }

    /// Waits for the next wake-up, and answers all notes so far.
    pub fn wait(&self) -> usize {
        while !S::swap_flag(&self.woken, false, Ordering::Acquire) {
            S::park();
        }
        S::load(&self.notes, Ordering::Relaxed)
    }
}

impl<S: Threads> Default for WakeCell<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Threads> Wake for WakeCell<S> {
    fn wake(self: Arc<Self>) {
        self.post(EVENT);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.post(EVENT);
    }
}
