//! The double barrier, spoilt: each variant differs from the recipe in the one thing that its name says.
//!
//! Two more are public reports: one watcher for entering and leaving (O05, <https://github.com/apache/curator/pull/416>), and
//! members that have timed out and are counted (O57, <https://github.com/apache/curator/issues/838>).

/// What every variant has.
macro_rules! in_queue {
    () => {
        fn new(env: E, parent: &str, size: usize) -> Self {
            Self(Queue::new(env, parent), size)
        }

        fn parts(&self) -> (&Queue<E>, usize) {
            (&self.0, self.1)
        }
    };
}

pub mod leaves_by_all_children;
pub mod ready_counted;
pub mod ready_left_behind;
pub mod ready_made_once;
pub mod watches_after_the_count;

pub use leaves_by_all_children::LeavesByAllChildren;
pub use ready_counted::ReadyCounted;
pub use ready_left_behind::ReadyLeftBehind;
pub use ready_made_once::ReadyMadeOnce;
pub use watches_after_the_count::WatchesAfterTheCount;
