//! *Wrong*: the flag is set before the notes are written. *Seen*: the thread wakes and finds nothing; an interrupt is taken
//! for an event. *Cure*: the notes first, and the flag after them.

use std::sync::atomic::Ordering;

use super::HandOver;
use crate::sync::Threads;

/// A wake-up cell that wakes before it says why.
pub struct WakeNotesLast<S: Threads> {
    woken: S::Flag,
    notes: S::Word,
    thread: S::Thread,
}

impl<S: Threads> HandOver for WakeNotesLast<S> {
    fn make() -> Self {
        Self { woken: S::flag("wake-up flag", false), notes: S::word("notes", 0), thread: S::current() }
    }

    fn post(&self, notes: usize) {
        let before = S::swap_flag(&self.woken, true, Ordering::AcqRel);
        S::fetch_or(&self.notes, notes, Ordering::AcqRel);
        if !before {
            S::unpark(&self.thread);
        }
    }

    fn wait(&self) -> usize {
        while !S::swap_flag(&self.woken, false, Ordering::Acquire) {
            S::park();
        }
        S::load(&self.notes, Ordering::Acquire)
    }
}
