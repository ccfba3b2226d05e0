//! The throughput question: how many acquisitions a second a lock gives, how long one waits and what it costs, against the
//! number of contenders, over one server and over three.
//!
//! The recipes' own code runs live in virtual time ([`overtake_sim::live`]). What comes out is the consequence of the
//! recipes' requests and of the lengths of time that [`Timing`] states; another network gives other numbers, but the same
//! ways of growing.

mod chapter;
mod fit;
mod run;

pub use chapter::{Chapter, chapter};
pub use fit::{Fit, fit, growth};
pub use run::{Contest, Measurement, run};

use overtake_sim::live::Timing;
use overtake_sim::program::ProgramError;

/// How much work to put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Up to 20 contenders, for tests: a second.
    Quick,
    /// Up to 1,000 contenders: less than a minute on one core.
    Full,
}

impl Effort {
    /// The numbers of contenders.
    pub fn sizes(self) -> &'static [usize] {
        const SIZES: [usize; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
        match self {
            Effort::Quick => &SIZES[..5],
            Effort::Full => &SIZES,
        }
    }

    /// Acquisitions that do not count and acquisitions that do. Where each acquisition makes everybody list everybody, a run
    /// of a thousand contenders is kept short, too short for a fit ([`Measurement::is_short`]).
    fn acquisitions(self, contest: Contest, contenders: usize) -> (u64, u64) {
        let n = contenders as u64;
        let wish = match self {
            Effort::Quick => 100,
            Effort::Full => 1000.max(n + n / 5),
        };
        match contest {
            Contest::Parent => {
                const NAMES_LISTED: u64 = 6_000_000;
                let most = (NAMES_LISTED / (n * n)).max(8);
                (n.min(most / 4), wish.min(most))
            }
            Contest::Predecessor => (n, wish),
            Contest::Apart => (2 * n, wish.max(3 * n)),
        }
    }
}

/// The seed of the report's runs.
pub const SEED: u64 = 1;

/// All measurements of a contest over so many servers, by number of contenders.
///
/// # Errors
/// When a program breaks the rules.
pub fn measure(
    contest: Contest,
    servers: usize,
    timing: &Timing,
    effort: Effort,
    seed: u64,
) -> Result<Vec<Measurement>, ProgramError> {
    let of = |&contenders: &usize| {
        let (settle, measured) = effort.acquisitions(contest, contenders);
        run(contest, contenders, servers, timing, seed, settle, measured)
    };
    effort.sizes().iter().map(of).collect()
}

/// The value below which that share of sorted values lies (nearest rank); `None` for fewer than ten values.
pub fn percentile(sorted: &[u64], share: f64) -> Option<u64> {
    if sorted.len() < 10 {
        return None;
    }
    let rank = (share * sorted.len() as f64).ceil() as usize;
    Some(sorted[rank.clamp(1, sorted.len()) - 1])
}
