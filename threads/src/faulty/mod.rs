//! Spoilt twins of the small parts, each differing in the one thing that its name says.
mod gate_checked_first;
mod gate_relaxed;
mod wake_checked_then_parked;
mod wake_relaxed;

pub use gate_checked_first::GateCheckedFirst;
pub use gate_relaxed::GateRelaxed;
pub use wake_checked_then_parked::WakeCheckedThenParked;
pub use wake_relaxed::WakeRelaxed;

use crate::gate::Gate;
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
