//! Distributions of lengths of time, with a text form, drawn alike on every machine.
//!
//! Only +, -, ×, ÷ of the processor are used, which IEEE 754 fixes to the bit, and `libm` for the rest, which is made of
//! them: the logarithm of a system's own library differs from machine to machine in the last digit.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::duration::{self, LONGEST};
use super::empirical::Empirical;
use super::rng::Rng;

/// How a length of time is spread, in nanoseconds. No draw is longer than ten years ([`LONGEST`]).
///
/// | text | meaning |
/// | --- | --- |
/// | `const:5ms` | always that |
/// | `uniform:1ms..10ms` | each length from the first to the second, both included, equally likely |
/// | `exp:5ms` | exponential with that mean: gaps of a Poisson process |
/// | `lognormal:2ms,0.8` | log-normal: median, and standard deviation of the logarithm |
/// | `pareto:1ms,1.2,cap=60s` | heavy tail: at least the first; longer than x with probability (first / x)^second; cut at the cap |
/// | `file:PATH` | one of the lengths in a file ([`Empirical::read`]), each equally likely |
///
/// ```
/// use overtake_sim::clock::distribution::Distribution;
/// use overtake_sim::clock::rng::Rng;
///
/// let pauses: Distribution = "pareto:10ms,1.2,cap=60s".parse()?;
/// let pause = pauses.sample(&mut Rng::new(7));
/// assert!((10_000_000..=60_000_000_000).contains(&pause));
/// assert_eq!(pauses.to_string(), "pareto:10ms,1.2,cap=60s");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Always the same.
    Constant(u64),
    /// Each length from the first to the second, both included, equally likely.
    Uniform(u64, u64),
    /// Exponential with that mean.
    Exponential(u64),
    /// Log-normal.
    LogNormal {
        /// Half of the draws are shorter.
        median: u64,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
    },
    /// Heavy-tailed.
    Pareto {
        /// The shortest, more than 0.
        least: u64,
        /// How quickly longer ones get rarer; with 1 or less the mean is infinite without the cap.
        shape: f64,
        /// Longer draws become this.
        cap: u64,
    },
    /// One of the lengths that were measured.
    Empirical(Arc<Empirical>),
}

impl Distribution {
    /// Never any time at all.
    pub const ZERO: Self = Self::Constant(0);

    /// Draws a length, in nanoseconds.
    pub fn sample(&self, rng: &mut Rng) -> u64 {
        let drawn = match self {
            Self::Constant(n) => *n,
            Self::Uniform(low, high) => low + rng.below(high - low + 1),
            Self::Exponential(mean) => whole(*mean as f64 * -libm::log(positive(rng))),
            Self::LogNormal { median, sigma } => whole(*median as f64 * libm::exp(sigma * normal(rng))),
            Self::Pareto { least, shape, cap } => {
                whole(*least as f64 * libm::pow(positive(rng), -1.0 / shape)).min(*cap)
            }
            Self::Empirical(measured) => measured.lengths()[rng.below(measured.lengths().len() as u64) as usize],
        };
        drawn.min(LONGEST)
    }

    /// The probability that a draw is longer than that.
    pub fn longer_than(&self, length: u64) -> f64 {
        if length >= LONGEST {
            return 0.0;
        }
        let x = length as f64;
        match self {
            Self::Constant(n) => f64::from(u8::from(*n > length)),
            Self::Uniform(low, _) if length < *low => 1.0,
            Self::Uniform(low, high) => high.saturating_sub(length) as f64 / (high - low + 1) as f64,
            Self::Exponential(0) => 0.0,
            Self::Exponential(mean) => libm::exp(-x / *mean as f64),
            Self::LogNormal { .. } | Self::Pareto { .. } if length == 0 => 1.0,
            Self::LogNormal { median, sigma } => {
                0.5 * libm::erfc(libm::log(x / *median as f64) / (sigma * std::f64::consts::SQRT_2))
            }
            Self::Pareto { least, .. } if length < *least => 1.0,
            Self::Pareto { cap, .. } if length >= *cap => 0.0,
            Self::Pareto { least, shape, .. } => libm::pow(*least as f64 / x, *shape),
            Self::Empirical(measured) => measured.longer_than(length),
        }
    }
}

/// A number above 0 and up to 1.
fn positive(rng: &mut Rng) -> f64 {
    1.0 - rng.unit()
}

/// A draw of the standard normal distribution (Box and Muller 1958). The second of the pair is thrown away, so that each
/// draw takes two numbers from the generator whatever came before.
fn normal(rng: &mut Rng) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(positive(rng)));
    radius * libm::cos(std::f64::consts::TAU * rng.unit())
}

/// The nearest whole number; what is too large becomes the largest.
fn whole(x: f64) -> u64 {
    (x + 0.5) as u64
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = duration::text;
        match self {
            Self::Constant(n) => write!(f, "const:{}", text(*n)),
            Self::Uniform(low, high) => write!(f, "uniform:{}..{}", text(*low), text(*high)),
            Self::Exponential(mean) => write!(f, "exp:{}", text(*mean)),
            Self::LogNormal { median, sigma } => write!(f, "lognormal:{},{sigma}", text(*median)),
            Self::Pareto { least, shape, cap: LONGEST } => write!(f, "pareto:{},{shape}", text(*least)),
            Self::Pareto { least, shape, cap } => write!(f, "pareto:{},{shape},cap={}", text(*least), text(*cap)),
            Self::Empirical(measured) => write!(f, "file:{}", measured.name()),
        }
    }
}

impl FromStr for Distribution {
    type Err = String;

    /// Reads the text form; `file:` reads the file.
    ///
    /// # Errors
    /// A sentence that names the text and what is wrong with it.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let forms = "const:5ms, uniform:1ms..10ms, exp:5ms, lognormal:2ms,0.8, pareto:1ms,1.2,cap=60s, file:PATH";
        let Some((kind, rest)) = text.split_once(':') else {
            return Err(format!("{text:?} is no distribution; there are {forms}"));
        };
        let within = |why: String| format!("distribution {text:?}: {why}");
        let parts: Vec<&str> = rest.split(',').map(str::trim).collect();
        let shape = |part: &str, most: f64| match part.parse::<f64>() {
            Ok(x) if x > 0.0 && x <= most => Ok(x),
            _ => Err(within(format!("{part:?} is not a number above 0 and up to {most}"))),
        };
        let length = |part: &str| duration::parse(part).map_err(within);
        let some = |part: &str| match length(part)? {
            0 => Err(within("a length above 0 is needed".into())),
            n => Ok(n),
        };
        match (kind.trim(), parts.as_slice()) {
            ("const", [n]) => Ok(Self::Constant(length(n)?)),
            ("uniform", [range]) => {
                let (low, high) = range.split_once("..").ok_or_else(|| within("write uniform:1ms..10ms".into()))?;
                match (length(low)?, length(high)?) {
                    (low, high) if low <= high => Ok(Self::Uniform(low, high)),
                    _ => Err(within("the first length is longer than the second".into())),
                }
            }
            ("exp", [mean]) => Ok(Self::Exponential(length(mean)?)),
            ("lognormal", [median, sigma]) => Ok(Self::LogNormal { median: some(median)?, sigma: shape(sigma, 10.0)? }),
            ("pareto", [least, alpha, cap @ ..]) if cap.len() < 2 => {
                let (least, alpha) = (some(least)?, shape(alpha, 100.0)?);
                let cap = match cap {
                    [] => LONGEST,
                    [cap, ..] => length(cap.strip_prefix("cap=").ok_or_else(|| within("write cap=60s".into()))?)?,
                };
                match cap >= least {
                    true => Ok(Self::Pareto { least, shape: alpha, cap }),
                    false => Err(within("the cap is shorter than the shortest length".into())),
                }
            }
            ("file", _) => Ok(Self::Empirical(Arc::new(Empirical::read(rest.trim())?))),
            _ => Err(format!("{text:?} is no distribution; there are {forms}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 7] = [
        "const:5ms",
        "uniform:1ms..10ms",
        "exp:5ms",
        "lognormal:2ms,0.8",
        "pareto:1ms,1.2,cap=60s",
        "pareto:1ms,2.5",
        "const:0s",
    ];

    #[test]
    fn what_is_written_is_read_again() {
        for text in TEXTS {
            assert_eq!(text.parse::<Distribution>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn bad_text_is_told_in_a_sentence() {
        let cases = [
            ("5ms", "is no distribution"),
            ("weibull:5ms", "is no distribution"),
            ("const:5", "no unit"),
            ("const:5ms,6ms", "is no distribution"),
            ("uniform:5ms", "write uniform"),
            ("uniform:5ms..4ms", "longer than the second"),
            ("lognormal:0ms,1", "above 0"),
            ("lognormal:1ms,NaN", "number above 0"),
            ("lognormal:1ms,-1", "number above 0"),
            ("pareto:1ms,0", "number above 0"),
            ("pareto:1ms,1.2,60s", "write cap="),
            ("pareto:1s,1.2,cap=1ms", "cap is shorter"),
            ("exp:11000000d", "ten years"),
            ("file:/no/such/file", "/no/such/file"),
        ];
        for (text, expected) in cases {
            let why = text.parse::<Distribution>().unwrap_err();
            assert!(why.contains(expected), "{text}: {why}");
        }
    }

    /// These draws are what seeds stand for: they never change, on no machine.
    #[test]
    fn draws_are_frozen() {
        let drawn = TEXTS[1..6].iter().map(|text| {
            let (distribution, mut rng) = (text.parse::<Distribution>().unwrap(), Rng::new(2026));
            [distribution.sample(&mut rng), distribution.sample(&mut rng), distribution.sample(&mut rng)]
        });
        let expected = [
            [6163584, 3553115, 8312585],
            [4263429, 1668138, 8370134],
            [1605951, 6310890, 2846431],
            [2035154, 1320516, 4035064],
            [1406458, 1142765, 1953477],
        ];
        assert_eq!(drawn.collect::<Vec<_>>(), expected);
    }

    /// The share of draws beyond a length is what the formula says, within five standard deviations.
    #[test]
    fn draws_follow_their_distribution() {
        const N: u32 = 40_000;
        for text in TEXTS {
            let distribution: Distribution = text.parse().unwrap();
            let mut rng = Rng::new(1);
            let drawn: Vec<u64> = (0..N).map(|_| distribution.sample(&mut rng)).collect();
            for length in ["0s", "500us", "1ms", "2ms", "4ms", "5ms", "10ms", "100ms", "59s", "60s"] {
                let length = duration::parse(length).unwrap();
                let expected = distribution.longer_than(length);
                let seen = drawn.iter().filter(|&&n| n > length).count() as f64 / f64::from(N);
                let deviation = (expected * (1.0 - expected) / f64::from(N)).sqrt();
                assert!((seen - expected).abs() <= 5.0 * deviation + 1e-9, "{text} > {length}: {seen}, not {expected}");
            }
        }
    }
}
