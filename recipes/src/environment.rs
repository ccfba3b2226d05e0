//! What a recipe needs of its surroundings beside the client: time, ids, background work.

use std::future::Future;
use std::time::Duration;

use crate::zookeeper::ZooKeeper;

/// The surroundings of a recipe. In production a thin layer over the async runtime; in the simulator
/// the program's context, so that nothing else can make a difference.
pub trait Environment: Clone + 'static {
    /// The client.
    type ZooKeeper: ZooKeeper + 'static;

    /// The client, with its one session.
    fn zookeeper(&self) -> Self::ZooKeeper;
    /// Completes after the duration. The untimed search lets it complete at any moment.
    fn sleep(&self, duration: Duration) -> impl Future<Output = ()>;
    /// An id that nobody else has: 36 characters in the form of a UUID.
    fn unique_id(&self) -> String;
    /// A random number below `below`, for the pauses of retries. The default, and the untimed search, always give 0: there
    /// a timer fires at any moment, whatever its length.
    fn jitter(&self, below: u32) -> u32 {
        let _ = below;
        0
    }
    /// Runs a future beside the caller, until it is done.
    fn spawn(&self, task: impl Future<Output = ()> + 'static);
    /// As [`spawn`](Self::spawn), for a task that outlives the caller's thread: only what the maker holds crosses over, the
    /// task itself is made and run wherever the surroundings do their background work.
    fn hand_over<F: Future<Output = ()> + 'static>(&self, make: impl FnOnce(Self) -> F + Send + 'static) {
        self.spawn(make(self.clone()));
    }
    /// Promises that from here on only the place and the key matter, not how the program came here.
    /// The search merges histories on the strength of it (and checks samples); production ignores it.
    fn checkpoint(&self, place: &'static str, key: &[&str]) {
        let _ = (place, key);
    }
    /// Awaits a call that checkpoints inside, while the caller keeps values that matter afterwards: they become part
    /// of the key of each such checkpoint. Production ignores it.
    fn keeping<F: Future>(&self, key: &[&str], call: F) -> impl Future<Output = F::Output> {
        let _ = key;
        call
    }
}
