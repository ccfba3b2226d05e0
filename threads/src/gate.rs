//! The closed flag: after it is set no callback begins, and who sets it knows whether one is still under way.

use std::sync::atomic::Ordering;

use crate::sync::Threads;

const CLOSED: usize = 1;
const INSIDE: usize = 2;

/// A gate that callbacks go through, until it is closed.
///
/// Flag and number are one word, so there is an order in which all see it change: either the callback was let in first,
/// and whoever closes finds it inside or gone with all that it has done, or it finds the gate closed.
pub struct Gate<S: Threads> {
    word: S::Word,
}

impl<S: Threads> Gate<S> {
    /// Open.
    pub fn new() -> Self {
        Self { word: S::word("gate", 0) }
    }

    /// Goes in. `false`: it is closed.
    pub fn enter(&self) -> bool {
        let before = S::fetch_add(&self.word, INSIDE, Ordering::Acquire);
        if before & CLOSED == 0 {
            return true;
        }
        S::fetch_sub(&self.word, INSIDE, Ordering::Relaxed);
        false
    }

    /// Goes out again; only after it was let in.
    pub fn leave(&self) {
        S::fetch_sub(&self.word, INSIDE, Ordering::Release);
    }

    /// Closes it, and answers whether somebody may still be inside.
    pub fn close(&self) -> bool {
        S::fetch_or(&self.word, CLOSED, Ordering::AcqRel) >= INSIDE
    }

    /// Whether it is closed.
    pub fn is_closed(&self) -> bool {
        S::load(&self.word, Ordering::Acquire) & CLOSED != 0
    }
}

impl<S: Threads> Default for Gate<S> {
    fn default() -> Self {
        Self::new()
    }
}
