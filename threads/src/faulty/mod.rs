//! Spoilt twins of the small parts, each differing in the one thing that its name says.
mod gate_checked_first;
mod gate_relaxed;
mod owners_copied;
mod owners_counted_together;
mod owners_flag_relaxed;
mod owners_slot;
mod owners_unnamed;
mod wake_checked_then_parked;
mod wake_cleared_late;
mod wake_notes_last;
mod wake_relaxed;

pub use gate_checked_first::GateCheckedFirst;
pub use gate_relaxed::GateRelaxed;
pub use owners_copied::OwnersCopied;
pub use owners_counted_together::OwnersCountedTogether;
pub use owners_flag_relaxed::OwnersFlagRelaxed;
pub use owners_slot::OwnersSlot;
pub use owners_unnamed::OwnersUnnamed;
pub use wake_checked_then_parked::WakeCheckedThenParked;
pub use wake_cleared_late::WakeClearedLate;
pub use wake_notes_last::WakeNotesLast;
pub use wake_relaxed::WakeRelaxed;

use crate::gate::Gate;
use crate::owners::{Owners, Released};
use crate::sync::Threads;
use crate::wake::WakeCell;

/// What a wake-up cell does, right or spoilt. It is the waiting thread's that makes it.
pub trait HandOver: Send + Sync + 'static {
    /// A cell of the calling thread.
    fn make() -> Self;
    /// Leaves notes and wakes the thread.
    fn post(&self, notes: usize);
    /// Waits for the next wake-up, and answers all notes so far.
    fn wait(&self) -> usize;
}

impl<S: Threads> HandOver for WakeCell<S> {
    fn make() -> Self {
        Self::new()
    }

    fn post(&self, notes: usize) {
        self.post(notes);
    }

    fn wait(&self) -> usize {
        self.wait()
    }
}

/// What a gate does, right or spoilt.
pub trait Closes: Send + Sync + 'static {
    /// An open one.
    fn make() -> Self;
    /// Goes in. `false`: it is closed.
    fn enter(&self) -> bool;
    /// Goes out again.
    fn leave(&self);
    /// Closes it, and answers whether somebody may still be inside.
    fn close(&self) -> bool;
}

impl<S: Threads> Closes for Gate<S> {
    fn make() -> Self {
        Self::new()
    }

    fn enter(&self) -> bool {
        self.enter()
    }

    fn leave(&self) {
        self.leave();
    }

    fn close(&self) -> bool {
        self.close()
    }
}

/// What an owner table does, right or spoilt. What is granted is a number.
pub trait Owns: Send + Sync + 'static {
    /// Nobody holds.
    fn make() -> Self;
    /// The calling thread holds what it was granted.
    fn hold(&self, granted: usize);
    /// The calling thread holds once more. `false`: it holds nothing yet.
    fn again(&self) -> bool;
    /// The calling thread releases once: what it was granted, and how often it still holds. `None`: it holds nothing.
    fn release(&self) -> Option<(usize, usize)>;
    /// The calling thread holds nothing any more.
    fn forget(&self);
    /// Whether any thread holds.
    fn anybody(&self) -> bool;
    /// How often the calling thread holds.
    fn count(&self) -> usize;
}

/// What a spoilt table knows of a thread.
#[derive(Clone, Copy, Debug)]
struct Entry {
    granted: usize,
    count: usize,
}

impl<S: Threads> Owns for Owners<S, usize> {
    fn make() -> Self {
        Self::new()
    }

    fn hold(&self, granted: usize) {
        self.hold(granted);
    }

    fn again(&self) -> bool {
        self.again()
    }

    fn release(&self) -> Option<(usize, usize)> {
        match self.release() {
            Released::NotOwner => None,
            Released::Still(count) => self.own().map(|hold| (hold.granted, count)),
            Released::Last(hold) => Some((hold.granted, 0)),
        }
    }

    fn forget(&self) {
        self.forget();
    }

    fn anybody(&self) -> bool {
        self.anybody()
    }

    fn count(&self) -> usize {
        self.count()
    }
}
