//! Why a lock operation failed.

use std::fmt;

use crate::ZkError;

/// Why a lock operation failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockError {
    /// The session is over, and with it the node: not held, not queued. A new session is needed.
    SessionLost,
    /// The caller does not hold the lock that it wants to give back (Curator: IllegalMonitorStateException).
    NotHeld,
    /// Any other answer that the recipe cannot go on with.
    Zk(ZkError),
}

impl From<ZkError> for LockError {
    fn from(error: ZkError) -> Self {
        match error {
            ZkError::SessionExpired => Self::SessionLost,
            error => Self::Zk(error),
        }
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SessionLost => f.write_str("the session is over"),
            Self::NotHeld => f.write_str("you do not own the lock"),
            Self::Zk(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LockError {}
