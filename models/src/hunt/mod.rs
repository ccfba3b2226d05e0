//! Hunts: many sampled runs of a scenario, on all cores, that can be killed, resumed, split and joined.
//!
//! Runs are numbered, and the seed of run `i` follows from the hunt's seed and `i` alone. They are done in blocks of
//! consecutive numbers, and what comes out of a block is written down in the order of the blocks, so that any number of
//! threads, and any number of machines, write the same bytes in the end. What was found in blocks that were given up, or came
//! too late, when the time was up or coverage flat, is kept beside them. A hunt never proves anything.

mod block;
mod find;
mod merge;
mod probe;
mod record;
mod states;
mod work;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use overtake_sim::world::World;

use crate::sample::{Pct, RandomWalk, Sampler};
use crate::scenario::Scenario;
use crate::search::{Limits, Progress};
use crate::timed::Timed;

pub use block::{Block, Violated};
pub use find::Finding;
pub use merge::{Merged, merge};
pub use record::{Head, Record, Tally};
pub use states::States;
pub use work::{Hunted, Stop, hunt};

/// Most runs of one hunt: their numbers stay exact in every program that reads the record.
pub const MOST_RUNS: u64 = 1 << 53;

/// Which runs are whose, where a hunt is split: run `i` belongs to shard `1 + i mod of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1.
    pub index: u64,
    /// How many there are.
    pub of: u64,
}

impl Shard {
    /// All runs.
    pub const WHOLE: Self = Self { index: 1, of: 1 };

    /// Whether the run is this shard's.
    pub fn has(self, run: u64) -> bool {
        run % self.of == self.index - 1
    }
}

/// When coverage has gone flat: no new state in the last runs. Once states are only sampled, one of 2^level of them, a new state
/// is seen 2^level times later, and so many times more runs must have met none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Flat {
    /// In so many runs.
    Runs(u64),
    /// In that share of all runs, at least a thousand of them.
    Share(f64),
}

impl Flat {
    /// Whether it has, after `runs` runs of which the last `barren` met no new state of those that are sampled, one of
    /// 2^`level`.
    pub fn is_met(self, runs: u64, barren: u64, level: u32) -> bool {
        let barren = barren.checked_shr(level).unwrap_or(0);
        match self {
            Flat::Runs(wanted) => barren >= wanted,
            Flat::Share(share) => barren >= 1000 && barren as f64 >= share * runs as f64,
        }
    }
}

/// How runs are picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// The random walk.
    Random,
    /// Probabilistic concurrency testing of that depth.
    Pct(usize),
    /// Virtual time.
    Timed,
}

impl Search {
    /// The sampler, for a world and the seed of its hunt; runs have at most `limit` steps, those in virtual time as
    /// many as their time allows.
    pub fn sampler(self, world: &World, seed: u64, limit: usize) -> Box<dyn Sampler> {
        match self {
            Search::Random => Box::new(RandomWalk { limit }),
            Search::Timed => Box::new(Timed::default()),
            Search::Pct(depth) => Box::new(Pct::new(world, depth, limit, seed)),
        }
    }
}

/// What to hunt for, how, and until when.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The scenario, with its bounds.
    pub scenario: &'a Scenario,
    /// The scenario with the repaired program, for shrinking.
    pub repair: Option<&'a Scenario>,
    /// Who picks the steps.
    pub sampler: &'a dyn Sampler,
    /// The hunt's seed.
    pub seed: u64,
    /// The first run.
    pub from: u64,
    /// The number of runs, all shards together.
    pub runs: Option<u64>,
    /// How long.
    pub time: Option<Duration>,
    /// Until coverage has gone flat.
    pub flat: Option<Flat>,
    /// Whose runs are done here.
    pub shard: Shard,
    /// Threads.
    pub threads: usize,
    /// Bytes that the worlds of all threads may hold; a world that has grown beyond its part is started afresh.
    pub memory: usize,
    /// Where everything is written.
    pub folder: PathBuf,
    /// What must be typed to see one run again, without `--from` and `--runs`.
    pub command: String,
    /// Raised from outside (Ctrl-C) to end the hunt.
    pub stop: Arc<AtomicBool>,
    /// Where a watcher can read how far it is: distinct states, and runs as `frontier`.
    pub progress: Arc<Progress>,
    /// Bounds of the searches that shrink findings; `None`: they are left as they were found.
    pub shrink: Option<Limits>,
}

/// Why a hunt cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A file cannot be written, or read.
    File(String),
    /// The folder holds something that does not go together with this.
    Mismatch(String),
    /// A program broke the rules under which it can be checked.
    Broken(String),
}

impl Trouble {
    /// The sentence.
    pub fn sentence(&self) -> &str {
        match self {
            Trouble::File(text) | Trouble::Mismatch(text) | Trouble::Broken(text) => text,
        }
    }
}

/// With 95 % confidence at most this share of runs violates anything, when none of so many did (rule of three: Hanley and
/// Lippman-Hand 1983, "If nothing goes wrong, is everything all right?").
pub fn rule_of_three(runs: u64) -> f64 {
    if runs == 0 { 1.0 } else { (3.0 / runs as f64).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_is_of_one_shard() {
        for run in 0..20 {
            let owners = (1..=3).filter(|&index| Shard { index, of: 3 }.has(run)).count();
            assert_eq!(owners, 1);
            assert!(Shard::WHOLE.has(run));
        }
        assert!(Shard { index: 2, of: 3 }.has(4));
    }

    #[test]
    fn flat_by_number_and_by_share() {
        assert!(Flat::Runs(10).is_met(10, 10, 0) && !Flat::Runs(10).is_met(100, 9, 0));
        assert!(Flat::Share(0.5).is_met(2_000, 1_000, 0) && !Flat::Share(0.5).is_met(100, 100, 0));
        assert!(!Flat::Share(0.5).is_met(2_002, 1_000, 0));
        // A sample of one in eight sees a new state eight times later.
        assert!(Flat::Runs(10).is_met(100, 80, 3) && !Flat::Runs(10).is_met(100, 79, 3));
        assert!(!Flat::Runs(10).is_met(100, 80, 64));
    }

    #[test]
    fn three_over_n() {
        assert_eq!(rule_of_three(0), 1.0);
        assert_eq!(rule_of_three(2), 1.0);
        assert!((rule_of_three(3_000) - 0.001).abs() < 1e-12);
    }
}
