//! *Wrong*: whether anybody holds is answered from a number beside the table, all `Relaxed`, to save the lock. *Seen*: another
//! thread is told that the lock is held, and does not see what its owner did before. *Cure*: ask the table under its lock,
//! or `Release` and `Acquire` on the number.

use std::sync::atomic::Ordering::Relaxed;

use super::Owns;
use crate::owners::Owners;
use crate::sync::Threads;

/// An owner table with a short cut that orders nothing.
pub struct OwnersFlagRelaxed<S: Threads> {
    owners: Owners<S, usize>,
    holders: S::Word,
}

impl<S: Threads> Owns for OwnersFlagRelaxed<S> {
    fn make() -> Self {
        Self { owners: Owners::new(), holders: S::word("number of holders", 0) }
    }

    fn hold(&self, granted: usize) {
        self.owners.hold(granted);
        S::fetch_add(&self.holders, 1, Relaxed);
    }

    fn again(&self) -> bool {
        self.owners.again()
    }

    fn release(&self) -> Option<(usize, usize)> {
        Owns::release(&self.owners)
    }

    fn forget(&self) {
        self.owners.forget();
        S::fetch_sub(&self.holders, 1, Relaxed);
    }

    fn anybody(&self) -> bool {
        S::load(&self.holders, Relaxed) > 0
    }

    fn count(&self) -> usize {
        self.owners.count()
    }
}
