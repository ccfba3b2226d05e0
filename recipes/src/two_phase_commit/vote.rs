//! A site's vote.

use std::time::Duration;

/// How long a site waits for the votes of others. In the untimed search the time may be over at any moment.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A vote, and what becomes of the transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Vote {
    /// The transaction takes effect.
    Commit,
    /// It does not.
    Abort,
}

impl Vote {
    /// As it stands in a site's node.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Abort => "abort",
        }
    }

    /// What stands in a site's node; `None` when it is undefined.
    pub fn of(data: &[u8]) -> Option<Self> {
        [Self::Commit, Self::Abort].into_iter().find(|vote| vote.as_str().as_bytes() == data)
    }
}
