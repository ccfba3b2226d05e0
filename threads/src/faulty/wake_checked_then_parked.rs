//! *Wrong*: the flag is looked at outside of the monitor that the thread then sleeps on. *Seen*: the wake-up comes between
//! the look and the sleep, and nobody is there to hear it; the thread sleeps for ever. *Cure*: look under the monitor, or
//! sleep by a park, which an unpark that came first lets end at once.

use std::sync::atomic::Ordering;

use super::HandOver;
use crate::sync::Threads;

/// A wake-up cell that goes to sleep on what it saw a moment ago.
pub struct WakeCheckedThenParked<S: Threads> {
    woken: S::Flag,
    notes: S::Word,
    monitor: S::Mutex<()>,
    bell: S::Condvar,
}

impl<S: Threads> HandOver for WakeCheckedThenParked<S> {
    fn make() -> Self {
        Self {
            woken: S::flag("wake-up flag", false),
            notes: S::word("notes", 0),
            monitor: S::mutex("monitor", ()),
            bell: S::condvar("monitor"),
        }
    }

    fn post(&self, notes: usize) {
        S::fetch_or(&self.notes, notes, Ordering::Relaxed);
        S::set(&self.woken, true, Ordering::Release);
        S::notify_all(&self.bell);
    }

    fn wait(&self) -> usize {
        while !S::swap_flag(&self.woken, false, Ordering::Acquire) {
            let monitor = S::lock(&self.monitor);
            drop(S::wait(&self.bell, monitor));
        }
        S::load(&self.notes, Ordering::Relaxed)
    }
}
