//! Groups: a key whose value is a list of other keys, so that they can be read without a query.
//!
//! The table knows nothing of groups. It stores one value under one key, and compares one version. Everything else is a
//! convention that all writers keep:
//!
//! - an item is stored before its key is in a group, and is deleted after its key has left it, so that a crash leaves an item
//!   that nobody finds, never a key that leads nowhere;
//! - a group is changed by UPDATE with the version that was read, and *keys* are written back, never what was found under them;
//! - a group that is absent is made with PUT, which fails when somebody else makes it at the same time;
//! - a key is added only if it is not there, so that whoever got no answer may try again.
//!
//! Source: the posts on distributed hash tables, and `semantics §6.6` for what they leave open.

pub mod denormalised;
pub mod faulty;
mod read;
mod write;

use std::fmt;
use std::time::Duration;

pub use read::{Member, items, items_one_by_one, keys, members, members_in_turn};
pub use write::{add, publish, remove, retract};

use overtake_recipes::StoreError;

/// How long to wait before a round that follows a failure.
pub const PAUSE: Duration = Duration::from_millis(50);

/// Why a group was not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupError {
    /// The last round ended so. After [`StoreError::Unknown`] the change may have been made, or may be made later.
    Store(StoreError),
    /// Others were faster in every round.
    TooManyRounds,
}

impl fmt::Display for GroupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => write!(f, "the group was not changed: {error}"),
            Self::TooManyRounds => f.write_str("the group was not changed: others were faster in every round"),
        }
    }
}

impl std::error::Error for GroupError {}

impl From<StoreError> for GroupError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
