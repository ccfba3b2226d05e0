//! What a lock protects, when it lives outside ZooKeeper.

use std::fmt;
use std::future::Future;

/// A number that orders the holders of a lock, shown with each write so that the resource can refuse older ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Token {
    /// None: every write is taken.
    None,
    /// The ten digits behind the lock node's name. They start again when the parent is created again (§1.3), so this is
    /// **no** fencing token.
    Suffix(i32),
    /// The lock node's czxid ([`fencing_token`](crate::fencing_token)): grows for ever.
    Czxid(i64),
    /// A counter of one's own, raised by each holder before it writes.
    Counter(i64),
}

/// The resource has taken a write with a later token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stale;

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the resource has taken a write with a later token")
    }
}

impl std::error::Error for Stale {}

/// A resource that compares tokens: "the storage service … remembers that it has already processed a write with a higher
/// token number, and so it rejects the request" (Kleppmann 2016).
pub trait FencedResource {
    /// Writes as the holder of the lock node at `path`, with a token.
    ///
    /// # Errors
    /// [`Stale`]: a write with a later token of the same kind was taken before. Nothing is written.
    fn write(&self, path: &str, token: Token) -> impl Future<Output = Result<(), Stale>>;
}
