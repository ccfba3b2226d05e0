//! *Wrong*: the flag is set and taken with `Relaxed`, so finding it set says nothing about the notes. *Seen*: the thread
//! wakes and finds no notes; an interrupt is lost. *Cure*: `Release` and `Acquire` on the flag.

use std::sync::atomic::Ordering::Relaxed;

use super::HandOver;
use crate::sync::Threads;

/// A wake-up cell whose flag orders nothing.
pub struct WakeRelaxed<S: Threads> {
    woken: S::Flag,
    notes: S::Word,
    thread: S::Thread,
}

impl<S: Threads> HandOver for WakeRelaxed<S> {
    fn make() -> Self {
        Self { woken: S::flag("wake-up flag", false), notes: S::word("notes", 0), thread: S::current() }
    }

    fn post(&self, notes: usize) {
        S::fetch_or(&self.notes, notes, Relaxed);
        if !S::swap_flag(&self.woken, true, Relaxed) {
            S::unpark(&self.thread);
        }
    }

    fn wait(&self) -> usize {
        while !S::swap_flag(&self.woken, false, Relaxed) {
            S::park();
        }
        S::load(&self.notes, Relaxed)
    }
}
