//! *Wrong*: all is `Relaxed`. *Seen*: whoever closes finds nobody inside, and yet does not see what the last callback has
//! done. *Cure*: leaving releases, closing acquires.

use std::sync::atomic::Ordering::Relaxed;

use super::Closes;
use crate::sync::Threads;

/// A gate that orders nothing.
pub struct GateRelaxed<S: Threads> {
    word: S::Word,
}

impl<S: Threads> Closes for GateRelaxed<S> {
    fn make() -> Self {
        Self { word: S::word("gate", 0) }
    }

    fn enter(&self) -> bool {
        if S::fetch_add(&self.word, 2, Relaxed) & 1 == 0 {
            return true;
        }
        S::fetch_sub(&self.word, 2, Relaxed);
        false
    }

    fn leave(&self) {
        S::fetch_sub(&self.word, 2, Relaxed);
    }

    fn close(&self) -> bool {
        S::fetch_or(&self.word, 1, Relaxed) >= 2
    }
}
