//! The queue, spoilt: each variant differs from the recipe in the one thing that its name says.
//!
//! More are public reports: a consumer that keeps a dead watch (O26), an item left beside an idle consumer (O30), claims of
//! items that are gone (O49), a vanished head that is asked for over and over (O85).

/// What every variant has.
macro_rules! at_a_path {
    () => {
        fn new(env: E, path: &str) -> Self {
            Self(env, path.to_owned())
        }

        fn parts(&self) -> (&E, &str) {
            (&self.0, &self.1)
        }
    };
}

pub mod answer_ignored;
pub mod blind_put;
pub mod blind_take;
pub mod ephemeral_items;
pub mod persistent_claim;

pub use answer_ignored::AnswerIgnored;
pub use blind_put::BlindPut;
pub use blind_take::BlindTake;
pub use ephemeral_items::EphemeralItems;
pub use persistent_claim::PersistentClaim;
