//! How long something still takes that has taken some time already: survival, hazard and the draw of what is left.
//!
//! Lengths are nanoseconds as floating point numbers. As in `sim/src/clock/distribution.rs` only the processor's four operations and
//! `libm` are used, so that every machine computes the same bits.

use overtake_sim::clock::{Distribution, Rng};

/// Two lengths that differ by less are the same moment.
pub(super) const SAME: f64 = 1e-3;
/// Beyond so many standard deviations the tail of the normal distribution is its asymptotic series.
const FAR: f64 = 25.0;

/// The law of a length of time.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// Always the same.
    Constant(f64),
    /// Each length from the first to the second equally likely.
    Uniform(f64, f64),
    /// Exponential with that mean: what is left does not depend on what has passed.
    Exponential(f64),
    /// Log-normal: the logarithm of the median, and the standard deviation of the logarithm.
    LogNormal(f64, f64),
    /// At least the first, longer than x with probability (first / x)^second, cut at the third.
    Pareto(f64, f64, f64),
    /// One of these, each equally likely; sorted.
    Measured(Vec<f64>),
}

impl From<&Distribution> for Law {
    fn from(distribution: &Distribution) -> Self {
        match distribution {
            Distribution::Constant(n) => Self::Constant(*n as f64),
            Distribution::Uniform(low, high) if low == high => Self::Constant(*low as f64),
            Distribution::Uniform(low, high) => Self::Uniform(*low as f64, *high as f64),
            Distribution::Exponential(0) => Self::Constant(0.0),
            Distribution::Exponential(mean) => Self::Exponential(*mean as f64),
            Distribution::LogNormal { median, sigma } => Self::LogNormal(libm::log(*median as f64), *sigma),
            Distribution::Pareto { least, shape, cap } => Self::Pareto(*least as f64, *shape, *cap as f64),
            Distribution::Empirical(measured) => Self::Measured(measured.lengths().iter().map(|n| *n as f64).collect()),
        }
    }
}

/// The logarithm of the probability that a standard normal draw is above that.
fn log_normal_tail(z: f64) -> f64 {
    if z < FAR {
        return libm::log(0.5 * libm::erfc(z * std::f64::consts::FRAC_1_SQRT_2));
    }
    let square = z * z;
    -0.5 * square - libm::log(z) - 0.5 * libm::log(std::f64::consts::TAU) - 1.0 / square + 2.5 / (square * square)
}

/// A number above 0 and up to 1.
fn positive(rng: &mut Rng) -> f64 {
    1.0 - rng.unit()
}

/// A standard normal draw given that it is above `least` (Robert 1995, "Simulation of truncated normal variables").
fn normal_above(least: f64, rng: &mut Rng) -> f64 {
    if least < 0.3 {
        loop {
            let radius = libm::sqrt(-2.0 * libm::log(positive(rng)));
            let drawn = radius * libm::cos(std::f64::consts::TAU * rng.unit());
            if drawn > least {
                return drawn;
            }
        }
    }
    let rate = 0.5 * (least + libm::sqrt(least * least + 4.0));
    loop {
        let drawn = least - libm::log(positive(rng)) / rate;
        if rng.unit() <= libm::exp(-0.5 * (drawn - rate) * (drawn - rate)) {
            return drawn;
        }
    }
}

impl Law {
    /// Whether it is over at once.
    pub fn is_nothing(&self) -> bool {
        matches!(self, Self::Constant(n) if *n <= 0.0)
    }

    /// Whether what is left never depends on what has passed.
    pub fn is_memoryless(&self) -> bool {
        matches!(self, Self::Exponential(_))
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Constant(n) => *n,
            Self::Uniform(low, high) => 0.5 * (low + high),
            Self::Exponential(mean) => *mean,
            Self::LogNormal(log_median, sigma) => libm::exp(log_median + 0.5 * sigma * sigma),
            Self::Pareto(least, shape, cap) if (shape - 1.0).abs() < 1e-9 => least * (1.0 + libm::log(cap / least)),
            Self::Pareto(least, shape, cap) => {
                least + least / (shape - 1.0) * (1.0 - libm::pow(least / cap, shape - 1.0))
            }
            Self::Measured(lengths) => lengths.iter().sum::<f64>() / lengths.len() as f64,
        }
    }

    /// The length that it never exceeds; infinite where there is none that matters.
    pub fn certain_end(&self) -> f64 {
        match self {
            Self::Constant(n) => *n,
            Self::Uniform(_, high) => *high,
            Self::Pareto(_, _, cap) => *cap,
            Self::Measured(lengths) => lengths[lengths.len() - 1],
            Self::Exponential(_) | Self::LogNormal(..) => f64::INFINITY,
        }
    }

    /// The logarithm of the probability of taking longer than that.
    pub fn log_longer_than(&self, length: f64) -> f64 {
        match self {
            Self::Constant(n) => {
                if *n > length + SAME {
                    0.0
                } else {
                    f64::NEG_INFINITY
                }
            }
            Self::Uniform(low, _) if length <= *low => 0.0,
            Self::Uniform(low, high) => libm::log(((high - length) / (high - low)).max(0.0)),
            Self::Exponential(mean) => -length.max(0.0) / mean,
            Self::LogNormal(..) if length <= 0.0 => 0.0,
            Self::LogNormal(log_median, sigma) => log_normal_tail((libm::log(length) - log_median) / sigma),
            Self::Pareto(least, ..) if length <= *least => 0.0,
            Self::Pareto(_, _, cap) if length >= *cap - SAME => f64::NEG_INFINITY,
            Self::Pareto(least, shape, _) => shape * libm::log(least / length),
            Self::Measured(lengths) => {
                let longer = lengths.len() - lengths.partition_point(|n| *n <= length + SAME);
                libm::log(longer as f64 / lengths.len() as f64)
            }
        }
    }

    /// The logarithm of the probability of taking exactly that long or longer.
    pub fn log_at_least(&self, length: f64) -> f64 {
        match self {
            Self::Constant(_) | Self::Pareto(..) | Self::Measured(_) => self.log_longer_than(length - 2.0 * SAME),
            _ => self.log_longer_than(length),
        }
    }

    /// Whether exactly that length has a probability of its own.
    pub fn is_atom(&self, length: f64) -> bool {
        match self {
            Self::Constant(n) => (n - length).abs() <= SAME,
            Self::Pareto(_, _, cap) => (cap - length).abs() <= SAME,
            Self::Measured(lengths) => {
                let at = lengths.partition_point(|n| *n < length - SAME);
                lengths.get(at).is_some_and(|n| *n <= length + SAME)
            }
            _ => false,
        }
    }

    /// The rate at which it ends after that length, in ends a nanosecond; 0 where it ends at single moments only.
    pub fn hazard(&self, length: f64) -> f64 {
        match self {
            Self::Constant(_) | Self::Measured(_) => 0.0,
            Self::Uniform(low, high) if (*low..*high).contains(&length) => 1.0 / (high - length),
            Self::Uniform(..) => 0.0,
            Self::Exponential(mean) => 1.0 / mean,
            Self::LogNormal(..) if length <= 0.0 => 0.0,
            Self::LogNormal(log_median, sigma) => {
                let z = (libm::log(length) - log_median) / sigma;
                let log_density = -0.5 * z * z - 0.5 * libm::log(std::f64::consts::TAU);
                libm::exp(log_density - log_normal_tail(z)) / (sigma * length)
            }
            Self::Pareto(least, shape, cap) if (*least..*cap).contains(&length) => shape / length,
            Self::Pareto(..) => 0.0,
        }
    }

    /// Draws what is left of it after that long.
    pub fn left(&self, age: f64, rng: &mut Rng) -> f64 {
        let total = match self {
            Self::Exponential(mean) => return -mean * libm::log(positive(rng)),
            Self::Constant(n) => *n,
            Self::Uniform(low, high) => {
                let from = age.max(*low);
                from + (high - from) * rng.unit()
            }
            Self::LogNormal(log_median, sigma) => {
                let least = if age > 0.0 { (libm::log(age) - log_median) / sigma } else { f64::NEG_INFINITY };
                libm::exp(log_median + sigma * normal_above(least, rng))
            }
            Self::Pareto(least, shape, cap) => (age.max(*least) * libm::pow(positive(rng), -1.0 / shape)).min(*cap),
            Self::Measured(lengths) => {
                let from = lengths.partition_point(|n| *n < age - SAME).min(lengths.len() - 1);
                lengths[from + rng.below((lengths.len() - from) as u64) as usize]
            }
        };
        (total - age).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 6] =
        ["const:5ms", "uniform:1ms..10ms", "exp:5ms", "lognormal:2ms,0.8", "pareto:1ms,1.2,cap=60s", "pareto:1ms,2.5"];

    fn law(text: &str) -> Law {
        Law::from(&text.parse::<Distribution>().expect("a distribution"))
    }

    #[test]
    fn survival_is_that_of_the_distribution() {
        for text in TEXTS {
            let distribution: Distribution = text.parse().expect("a distribution");
            for length in [0u64, 500_000, 1_500_000, 2_000_000, 4_999_999, 7_000_000, 80_000_000] {
                let (own, theirs) =
                    (libm::exp(law(text).log_longer_than(length as f64)), distribution.longer_than(length));
                assert!((own - theirs).abs() < 1e-6, "{text} > {length}: {own}, not {theirs}");
            }
        }
    }

    /// The hazard adds up to the logarithm of the survival.
    #[test]
    fn hazard_goes_with_survival() {
        for text in &TEXTS[1..] {
            let (law, from, to) = (law(text), 1.1e6, 8.0e6);
            let pieces = 20_000;
            let width = (to - from) / f64::from(pieces);
            let sum: f64 = (0..pieces).map(|at| law.hazard(from + (f64::from(at) + 0.5) * width) * width).sum();
            let expected = law.log_longer_than(from) - law.log_longer_than(to);
            assert!((sum - expected).abs() < 1e-4 * expected, "{text}: {sum}, not {expected}");
        }
    }

    /// What is left after some time follows the conditional law, within five standard deviations.
    #[test]
    fn what_is_left_follows_the_law() {
        const N: u32 = 20_000;
        for text in TEXTS {
            let law = law(text);
            for age in [0.0, 0.9e6, 3.0e6] {
                let mut rng = Rng::new(3);
                let drawn: Vec<f64> = (0..N).map(|_| law.left(age, &mut rng)).collect();
                for length in [0.2e6, 1.3e6, 4.5e6, 30.0e6] {
                    let expected = libm::exp(law.log_longer_than(age + length) - law.log_longer_than(age));
                    let seen = drawn.iter().filter(|n| **n > length).count() as f64 / f64::from(N);
                    let deviation = (expected * (1.0 - expected) / f64::from(N)).sqrt();
                    assert!(
                        (seen - expected).abs() <= 5.0 * deviation + 1e-9,
                        "{text} after {age}: {seen}, not {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn far_tails_do_not_vanish() {
        let law = law("lognormal:20ms,0.5");
        // Thirty standard deviations: 4.9e-198 (Abramowitz and Stegun, table 26.2: -log10 Q(30) = 197.30921).
        let length = 20e6 * libm::exp(15.0);
        assert!((law.log_longer_than(length) / -libm::log(10.0) - 197.30921).abs() < 1e-4);
        assert!(law.hazard(length).is_finite() && law.left(length, &mut Rng::new(1)).is_finite());
        // The series meets the function where one takes over from the other.
        assert!((log_normal_tail(FAR - 1e-9) - log_normal_tail(FAR + 1e-9)).abs() < 1e-5);
    }

    #[test]
    fn measured_lengths_are_atoms() {
        let law = Law::Measured(vec![1.0e6, 2.0e6, 2.0e6, 9.0e6]);
        assert!(law.is_atom(2.0e6) && !law.is_atom(3.0e6));
        assert_eq!(libm::exp(law.log_at_least(2.0e6)), 0.75);
        assert_eq!(libm::exp(law.log_longer_than(2.0e6)), 0.25);
        assert_eq!(law.left(2.5e6, &mut Rng::new(1)), 6.5e6);
        assert_eq!(law.mean(), 3.5e6);
    }
}
