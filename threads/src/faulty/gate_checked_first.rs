//! *Wrong*: the callback looks at the closed flag first and counts itself in afterwards. *Seen*: it is let in, the gate is
//! closed with nobody inside, and the callback acts. *Cure*: count first, and look at what was there.

use std::sync::atomic::Ordering;

use super::Closes;
use crate::sync::Threads;

/// A gate with a gap between look and step.
pub struct GateCheckedFirst<S: Threads> {
    closed: S::Flag,
    inside: S::Word,
}

impl<S: Threads> Closes for GateCheckedFirst<S> {
    fn make() -> Self {
        Self { closed: S::flag("closed flag", false), inside: S::word("number inside", 0) }
    }

    fn enter(&self) -> bool {
        if S::is_set(&self.closed, Ordering::Acquire) {
            return false;
        }
        S::fetch_add(&self.inside, 1, Ordering::AcqRel);
        true
    }

    fn leave(&self) {
        S::fetch_sub(&self.inside, 1, Ordering::Release);
    }

    fn close(&self) -> bool {
        S::set(&self.closed, true, Ordering::Release);
        S::load(&self.inside, Ordering::Acquire) > 0
    }
}
