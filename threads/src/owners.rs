//! Which thread holds, and how often: the table of a re-entrant lock.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::sync::Threads;

/// What one thread holds.
pub struct Hold<S: Threads, T> {
    /// What was granted.
    pub granted: T,
    count: S::Word,
}

/// What a release comes to.
pub enum Released<S: Threads, T> {
    /// The thread holds nothing.
    NotOwner,
    /// It still holds, so many times.
    Still(usize),
    /// It was the last time: the entry is taken out by [`Owners::forget`].
    Last(Arc<Hold<S, T>>),
}

/// Threads and what they hold. Only a thread itself changes its entry; others look.
pub struct Owners<S: Threads, T: Send + Sync + 'static> {
    table: S::Mutex<HashMap<S::Id, Arc<Hold<S, T>>>>,
}

impl<S: Threads, T: Send + Sync + 'static> Owners<S, T> {
    /// Nobody holds.
    pub fn new() -> Self {
        Self { table: S::mutex("owner table", HashMap::new()) }
    }

    /// The calling thread's entry.
    pub fn own(&self) -> Option<Arc<Hold<S, T>>> {
        S::lock(&self.table).get(&S::id()).cloned()
    }

    /// The calling thread holds once more. `false`: it holds nothing yet.
    pub fn again(&self) -> bool {
        match self.own() {
            Some(hold) => {
                // The thread's own counter: nothing is published by it.
                S::fetch_add(&hold.count, 1, Ordering::Relaxed);
                true
            }
            None => false,
        }
    }

    /// The calling thread holds what it was granted.
    pub fn hold(&self, granted: T) {
        let hold = Hold { granted, count: S::word("count", 1) };
        S::lock(&self.table).insert(S::id(), Arc::new(hold));
    }

    /// The calling thread releases once.
    pub fn release(&self) -> Released<S, T> {
        let Some(hold) = self.own() else { return Released::NotOwner };
        match S::fetch_sub(&hold.count, 1, Ordering::Relaxed) {
            0 | 1 => Released::Last(hold),
            count => Released::Still(count - 1),
        }
    }

    /// The calling thread holds nothing any more.
    pub fn forget(&self) {
        S::lock(&self.table).remove(&S::id());
    }

    /// Whether any thread holds, by what this process knows.
    pub fn anybody(&self) -> bool {
        !S::lock(&self.table).is_empty()
    }

    /// How often the calling thread holds.
    pub fn count(&self) -> usize {
        self.own().map_or(0, |hold| S::load(&hold.count, Ordering::Relaxed))
    }
}

impl<S: Threads, T: Send + Sync + 'static> Default for Owners<S, T> {
    fn default() -> Self {
        Self::new()
    }
}
