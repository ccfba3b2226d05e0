//! Why a blocking call failed, in the words of Curator's exceptions.

use std::fmt;

use overtake_recipes::{LockError, ZkError};

/// Why a blocking call failed. (Curator's "Lock count has gone negative" cannot happen: an entry goes with its last count.) What it [displays](fmt::Display) is the message of Curator's exception.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// `IllegalMonitorStateException`: `You do not own the lock: /base`.
    NotOwner {
        /// The lock's path.
        base: String,
    },
    /// `IllegalStateException`: `Not acquired`.
    NotAcquired,
    /// `IOException`: `Lost connection while trying to acquire lock: /base`. The client was closed during the wait.
    Lost {
        /// The lock's path.
        base: String,
    },
    /// `InterruptedException`. The interrupt stays set.
    Interrupted,
    /// `IllegalStateException` of a latch: started twice, or closed when it was not open.
    State(&'static str),
    /// `KeeperException`.
    Zk(ZkError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotOwner { base } => write!(f, "You do not own the lock: {base}"),
            Error::NotAcquired => f.write_str("Not acquired"),
            Error::Lost { base } => write!(f, "Lost connection while trying to acquire lock: {base}"),
            Error::Interrupted => f.write_str("interrupted"),
            Error::State(what) => f.write_str(what),
            Error::Zk(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<ZkError> for Error {
    fn from(error: ZkError) -> Self {
        Self::Zk(error)
    }
}

impl Error {
    /// What a recipe's error is for a lock at the path.
    pub(crate) fn of(error: LockError, base: &str) -> Self {
        match error {
            LockError::SessionLost => Self::Zk(ZkError::SessionExpired),
            LockError::NotHeld => Self::NotOwner { base: base.into() },
            LockError::Zk(error) => Self::Zk(error),
        }
    }
}
