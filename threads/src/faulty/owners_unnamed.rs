//! *Wrong*: a re-entrance counter without the thread: who finds it above zero goes in. *Seen*: another thread re-enters what it
//! does not hold, and releases it. *Cure*: a counter belongs to the thread that was granted.

use std::sync::atomic::Ordering::{AcqRel, Acquire};

use super::Owns;
use crate::sync::Threads;

/// A re-entrance counter that asks nobody who he is.
pub struct OwnersUnnamed<S: Threads> {
    granted: S::Word,
    count: S::Word,
}

impl<S: Threads> Owns for OwnersUnnamed<S> {
    fn make() -> Self {
        Self { granted: S::word("number that was granted", 0), count: S::word("count", 0) }
    }

    fn hold(&self, granted: usize) {
        S::swap(&self.granted, granted, AcqRel);
        S::fetch_add(&self.count, 1, AcqRel);
    }

    fn again(&self) -> bool {
        if self.count() == 0 {
            return false;
        }
        S::fetch_add(&self.count, 1, AcqRel);
        true
    }

    fn release(&self) -> Option<(usize, usize)> {
        match S::fetch_sub(&self.count, 1, AcqRel) {
            0 => {
                S::fetch_add(&self.count, 1, AcqRel);
                None
            }
            before => Some((S::load(&self.granted, Acquire), before - 1)),
        }
    }

    fn forget(&self) {}

    fn anybody(&self) -> bool {
        self.count() > 0
    }

    fn count(&self) -> usize {
        S::load(&self.count, Acquire)
    }
}
