//! *Wrong*: the table is copied under the lock, changed, and put back under the lock again. *Seen*: what another thread has
//! entered in between is gone, and it owns nothing of what it holds. *Cure*: one lock around look and change.

use std::collections::HashMap;

use super::{Entry, Owns};
use crate::sync::Threads;

/// An owner table that is put back as it was a moment ago.
pub struct OwnersCopied<S: Threads> {
    table: S::Mutex<HashMap<S::Id, Entry>>,
}

impl<S: Threads> OwnersCopied<S> {
    fn put(&self, entry: Option<Entry>) {
        let mut copy = S::lock(&self.table).clone();
        match entry {
            Some(entry) => copy.insert(S::id(), entry),
            None => copy.remove(&S::id()),
        };
        *S::lock(&self.table) = copy;
    }

    fn own(&self) -> Option<Entry> {
        S::lock(&self.table).get(&S::id()).copied()
    }
}

impl<S: Threads> Owns for OwnersCopied<S> {
    fn make() -> Self {
        Self { table: S::mutex("owner table", HashMap::new()) }
    }

    fn hold(&self, granted: usize) {
        self.put(Some(Entry { granted, count: 1 }));
    }

    fn again(&self) -> bool {
        let Some(Entry { granted, count }) = self.own() else { return false };
        self.put(Some(Entry { granted, count: count + 1 }));
        true
    }

    fn release(&self) -> Option<(usize, usize)> {
        let Entry { granted, count } = self.own()?;
        self.put(Some(Entry { granted, count: count - 1 }));
        Some((granted, count - 1))
    }

    fn forget(&self) {
        self.put(None);
    }

    fn anybody(&self) -> bool {
        !S::lock(&self.table).is_empty()
    }

    fn count(&self) -> usize {
        self.own().map_or(0, |entry| entry.count)
    }
}
