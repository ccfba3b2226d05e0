//! The barrier, spoilt: each variant differs from the recipe in the one thing that its name says.

/// What every variant has.
macro_rules! at_a_node {
    () => {
        fn new(env: E, path: &str) -> Self {
            Self(env, path.to_owned())
        }

        fn parts(&self) -> (&E, &str) {
            (&self.0, &self.1)
        }
    };
}

pub mod any_event_opens;
pub mod ephemeral_barrier;
pub mod looks_then_watches;

pub use any_event_opens::AnyEventOpens;
pub use ephemeral_barrier::EphemeralBarrier;
pub use looks_then_watches::LooksThenWatches;
