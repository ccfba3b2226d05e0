//! *Wrong*: the flag is taken away after the notes were read, and not before. *Seen*: a note that comes in between finds
//! the flag set, so nobody is unparked, and then the flag is gone; the thread sleeps on a note for ever. *Cure*: take the
//! flag, then read.

use std::sync::atomic::Ordering;

use super::HandOver;
use crate::sync::Threads;

/// A wake-up cell that clears its flag when it has read.
pub struct WakeClearedLate<S: Threads> {
    woken: S::Flag,
    notes: S::Word,
    thread: S::Thread,
}

impl<S: Threads> HandOver for WakeClearedLate<S> {
    fn make() -> Self {
        Self { woken: S::flag("wake-up flag", false), notes: S::word("notes", 0), thread: S::current() }
    }

    fn post(&self, notes: usize) {
        S::fetch_or(&self.notes, notes, Ordering::Relaxed);
        if !S::swap_flag(&self.woken, true, Ordering::Release) {
            S::unpark(&self.thread);
        }
    }

    fn wait(&self) -> usize {
        while !S::is_set(&self.woken, Ordering::Acquire) {
            S::park();
        }
        let notes = S::load(&self.notes, Ordering::Relaxed);
        S::set(&self.woken, false, Ordering::Release);
        notes
    }
}
