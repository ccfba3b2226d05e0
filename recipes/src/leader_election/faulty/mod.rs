//! The election, spoilt: each variant differs from the recipe in the one thing that its name says.
//!
//! Its queue is that of the lock, whose spoilt versions are [there](crate::lock::faulty).

/// What every variant in a tuple struct over its candidates has.
macro_rules! of_candidates {
    () => {
        fn new(env: E, parent: &str) -> Self {
            Self(PredecessorLock::new(env, parent))
        }

        fn candidates(&self) -> &PredecessorLock<E> {
            &self.0
        }
    };
}

pub mod office_outlives_leader;
pub mod smallest_taken_for_leader;

pub use office_outlives_leader::OfficeOutlivesLeader;
pub use smallest_taken_for_leader::SmallestTakenForLeader;
