//! Searches that sample: each run takes one way through a world, and its seed alone decides which.
//!
//! A sample never proves anything. What it finds is an ordinary run of the world without reductions, so it replays,
//! shrinks and is judged like any other.

mod judge;
mod pct;
mod random;
mod way;

use overtake_sim::world::{Engine, Step};

pub use judge::Judge;
pub use pct::Pct;
pub use random::RandomWalk;

use crate::space::PropertyId;

/// Why a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ended {
    /// The last state violates a property.
    Violation,
    /// Nothing can happen any more, or nothing but faults that the sampler let be.
    AtRest,
    /// The limit of steps, or of simulated time.
    Limit,
    /// A program broke the rules; see [`World::error`](overtake_sim::world::World::error).
    Error,
}

/// One run of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampledRun {
    /// The steps, from the start of the world without reductions.
    pub steps: Vec<Step>,
    /// When each step happened, in nanoseconds since the start; empty where there is no clock.
    pub moments: Vec<u64>,
    /// The property that the last state (or the last step) violates.
    pub violated: Option<PropertyId>,
    /// Why the run is over.
    pub ended: Ended,
}

/// A way to pick the steps of a run.
///
/// The engine is one without reductions ([`Reductions::NONE`](overtake_sim::world::Reductions::NONE)), so that its steps
/// are those of a trace. What `run` answers must depend on the seed and the scenario only: not on what the engine or
/// the judge have met before, not on the time, not on the thread.
pub trait Sampler: Sync + std::fmt::Debug {
    /// The name, as it is typed: `random`, `pct`, `timed`.
    fn name(&self) -> &str;

    /// Everything that decides what runs look like beside the seed, as name and value, for the head of a report.
    fn parameters(&self) -> Vec<(String, String)>;

    /// Runs that a hunt does between two lines of its record, a power of two; fewer where runs are slow.
    fn runs_a_block(&self) -> u64 {
        1024
    }

    /// Takes one run from the initial state. Calls [`Judge::begin`] first, then [`Judge::look`] for the initial state
    /// and after each step; the run ends where that answers a property.
    fn run(&self, engine: &mut Engine<'_>, judge: &mut Judge<'_>, seed: u64) -> SampledRun;
}
