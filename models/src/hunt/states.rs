//! How many distinct states were reached: exact as long as they fit, estimated from a fair sample of them afterwards.

use rustc_hash::FxHashSet;

/// Most fingerprints that are kept.
const MOST: usize = 1 << 20;

/// Distinct states by fingerprint. When there are more than can be kept, only those whose fingerprint ends in `level`
/// zero bits are (adaptive sampling: Flajolet 1990), and their number times 2^level is the estimate; with a million of
/// them it is off by a thousandth or so. Which are kept depends on the set only, not on the order in which it came, so
/// sets can be joined.
#[derive(Clone, Debug)]
pub struct States {
    kept: FxHashSet<u64>,
    level: u32,
    most: usize,
}

impl Default for States {
    fn default() -> Self {
        Self { kept: FxHashSet::default(), level: 0, most: MOST }
    }
}

impl States {
    /// Adds fingerprints; answers, in order, those that were not there and belong to the sample.
    pub fn add(&mut self, prints: impl IntoIterator<Item = u64>) -> Vec<u64> {
        let level = self.level;
        let sampled = prints.into_iter().filter(|print| print.trailing_zeros() >= level);
        let mut new: Vec<u64> = sampled.filter(|print| self.kept.insert(*print)).collect();
        new.sort_unstable();
        while self.kept.len() > self.most {
            self.level += 1;
            let level = self.level;
            self.kept.retain(|print| print.trailing_zeros() >= level);
        }
        new
    }

    /// Their number, or the estimate of it.
    pub fn count(&self) -> u64 {
        (self.kept.len() as u64) << self.level
    }

    /// The sample has one state of 2^level.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// Whether the number is exact, but for states that share a fingerprint.
    pub fn is_exact(&self) -> bool {
        self.level == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use overtake_sim::clock::rng::Rng;

    fn small() -> States {
        States { most: 1 << 10, ..States::default() }
    }

    #[test]
    fn exact_while_they_fit_and_near_afterwards() {
        let mut rng = Rng::new(1);
        let prints: Vec<u64> = (0..100_000).map(|_| rng.next_u64()).collect();
        let mut states = small();
        assert_eq!(states.add(prints[..1000].iter().copied()).len(), 1000);
        assert_eq!(states.add(prints[..1000].iter().copied()).len(), 0);
        assert!(states.is_exact() && states.count() == 1000);
        states.add(prints.iter().copied());
        assert!(!states.is_exact());
        assert!((85_000..115_000).contains(&states.count()), "{}", states.count());
    }

    #[test]
    fn the_order_does_not_matter() {
        let mut rng = Rng::new(2);
        let prints: Vec<u64> = (0..5_000).map(|_| rng.next_u64()).collect();
        let (mut one, mut other) = (small(), small());
        prints.chunks(7).for_each(|piece| drop(one.add(piece.iter().copied())));
        prints.rchunks(1000).for_each(|piece| drop(other.add(piece.iter().copied())));
        assert_eq!((one.level, &one.kept), (other.level, &other.kept));
    }
}
