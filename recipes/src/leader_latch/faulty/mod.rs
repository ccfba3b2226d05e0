//! The latch, spoilt: each variant differs from the recipe in the one thing that its name says.
//!
//! More are public reports: leadership by a wake-up (O01, <https://github.com/Netflix/curator/issues/115>), a flag that
//! survives a reset (O03, <https://github.com/apache/curator/issues/1169>), leadership by the node of a former session (O07,
//! <https://github.com/apache/curator/issues/1211>), latches that reset each other (O84,
//! <https://github.com/apache/curator/issues/1161>).

/// What every variant in a tuple struct over its queue has.
macro_rules! in_queue {
    () => {
        fn new(env: E, parent: &str) -> Self {
            Self(Queue::new(env, parent))
        }

        fn queue(&self) -> &Queue<E> {
            &self.0
        }
    };
}

pub mod gives_up_for_good;
pub mod leads_through_suspension;
pub mod old_node_kept;

pub use gives_up_for_good::GivesUpForGood;
pub use leads_through_suspension::LeadsThroughSuspension;
pub use old_node_kept::OldNodeKept;
