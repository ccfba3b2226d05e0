//! Programs of several threads, and the searches over their schedules.
//!
//! A [`Program`] sets a [`Stage`]: it makes what is shared, starts threads, waits until nothing is left to happen and
//! judges. An [`Engine`] decides who goes on at each operation that goes through the [door](crate::sync). What breaks is
//! a [`Trace`] of the same form as everywhere, its steps named by thread and operation.
//!
//! The verdicts are honest: only a search that has tried every order, that was not cut off anywhere, and in which
//! everything happened that was to happen, proves anything.
mod conductor;
mod given;
mod kept;
pub(crate) mod ledger;
pub(crate) mod memory;
pub(crate) mod op;
mod outcome;
mod prove;
mod quiet;
mod replay;
mod search;
mod shrink;
mod stage;
mod systematic;

pub use given::Otherwise;
pub use kept::{KEPT, entry, kept_limits, made_small, search_kept, small_story};
pub use ledger::Violation;
pub use memory::{Judge, MemoryLimits, MemoryOutcome, MemoryProgram, MemoryVerdict, search_memory};
pub use outcome::{Outcome, Verdict};
pub use overtake_models::trace::Trace;
pub use replay::{Replayed, replay, replay_otherwise};
pub use search::{Engine, Limits, NUMBERS_DRAWN, search};
pub use shrink::{Shrunk, shrink};
pub use stage::{Program, Stage, program};

/// The property of a program whose threads all end.
pub const NO_HANG: &str = "no wait without a wake-up";
/// The property of a program whose threads do not panic.
pub const NO_PANIC: &str = "no program panics";
