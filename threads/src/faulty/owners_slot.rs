//! *Wrong*: one slot for the whole object instead of an entry for each thread, and whoever has released empties it. *Seen*:
//! the lock is given back, the next thread enters itself, and the first one empties the slot of the second. *Cure*: a
//! thread takes away its own entry only.

use super::{Entry, Owns};
use crate::sync::Threads;

/// An owner table with room for one, which anybody empties.
pub struct OwnersSlot<S: Threads> {
    slot: S::Mutex<Option<(S::Id, Entry)>>,
}

impl<S: Threads> OwnersSlot<S> {
    fn own<T>(&self, look: impl FnOnce(&mut Entry) -> T) -> Option<T> {
        match &mut *S::lock(&self.slot) {
            Some((id, entry)) if *id == S::id() => Some(look(entry)),
            _ => None,
        }
    }
}

impl<S: Threads> Owns for OwnersSlot<S> {
    fn make() -> Self {
        Self { slot: S::mutex("owner's slot", None) }
    }

    fn hold(&self, granted: usize) {
        *S::lock(&self.slot) = Some((S::id(), Entry { granted, count: 1 }));
    }

    fn again(&self) -> bool {
        self.own(|entry| entry.count += 1).is_some()
    }

    fn release(&self) -> Option<(usize, usize)> {
        self.own(|entry| {
            entry.count -= 1;
            (entry.granted, entry.count)
        })
    }

    fn forget(&self) {
        *S::lock(&self.slot) = None;
    }

    fn anybody(&self) -> bool {
        S::lock(&self.slot).is_some()
    }

    fn count(&self) -> usize {
        self.own(|entry| entry.count).unwrap_or(0)
    }
}
