//! Two-phase commit, spoilt: each variant differs from the recipe in the one thing that its name says.

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

pub mod coordinator_decides;
pub mod sites_one_by_one;
pub mod times_out_alone;
pub mod votes_over_votes;

pub use coordinator_decides::CoordinatorDecides;
pub use sites_one_by_one::SitesOneByOne;
pub use times_out_alone::TimesOutAlone;
pub use votes_over_votes::VotesOverVotes;
