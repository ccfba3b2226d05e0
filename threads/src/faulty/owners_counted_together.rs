//! *Wrong*: holds are counted in one number for all threads, which is read and then written. *Seen*: two threads count at once
//! and one of them is lost; the object says that nobody holds while somebody does. *Cure*: a count for each thread that
//! nobody else writes, or one step that reads and writes.

use std::sync::atomic::Ordering::{Acquire, Release};

use super::Owns;
use crate::owners::Owners;
use crate::sync::Threads;

/// An owner table beside which all are counted, in two steps.
pub struct OwnersCountedTogether<S: Threads> {
    owners: Owners<S, usize>,
    holds: S::Word,
}

impl<S: Threads> OwnersCountedTogether<S> {
    fn add(&self, more: usize) {
        let holds = S::load(&self.holds, Acquire);
        S::store(&self.holds, holds.wrapping_add(more), Release);
    }
}

impl<S: Threads> Owns for OwnersCountedTogether<S> {
    fn make() -> Self {
        Self { owners: Owners::new(), holds: S::word("number of holds", 0) }
    }

    fn hold(&self, granted: usize) {
        self.owners.hold(granted);
        self.add(1);
    }

    fn again(&self) -> bool {
        let held = self.owners.again();
        self.add(usize::from(held));
        held
    }

    fn release(&self) -> Option<(usize, usize)> {
        let released = Owns::release(&self.owners);
        if released.is_some() {
            self.add(usize::MAX);
        }
        released
    }

    fn forget(&self) {
        self.owners.forget();
    }

    fn anybody(&self) -> bool {
        S::load(&self.holds, Acquire) > 0
    }

    fn count(&self) -> usize {
        self.owners.count()
    }
}
