//! What sampled runs say about a probability: estimates with confidence intervals, and refusals where they say too little.

/// The 97.5th percentile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;
/// A weighted estimate of fewer effective samples than this is none.
pub const LEAST_EFFECTIVE: f64 = 100.0;
/// A weighted estimate of which one run makes more than this share is none.
pub const MOST_SHARE: f64 = 0.1;

/// A probability with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Runs that it rests on.
    pub runs: u64,
    /// Runs that went wrong.
    pub hits: u64,
    /// As many runs of equal weight would say as much; the hits, where all weigh the same.
    pub effective: f64,
}

impl Estimate {
    /// Half of the interval's width, as a share of the estimate.
    pub fn relative(&self) -> f64 {
        if self.value > 0.0 { 0.5 * (self.high - self.low) / self.value } else { f64::INFINITY }
    }

    /// Whether the interval holds that value.
    pub fn covers(&self, truth: f64) -> bool {
        (self.low..=self.high).contains(&truth)
    }
}

/// The share of hits among runs of equal weight with the interval of Clopper and Pearson (1934), which covers the truth at
/// least as often as it says, however few the hits.
pub fn counted(hits: u64, runs: u64) -> Estimate {
    let (k, n) = (hits as f64, runs as f64);
    let low = if hits == 0 { 0.0 } else { beta_quantile(k, n - k + 1.0, 0.025) };
    let high = if hits == runs { 1.0 } else { beta_quantile(k + 1.0, n - k, 0.975) };
    let value = if runs == 0 { 0.0 } else { k / n };
    Estimate { value, low, high, runs, hits, effective: k }
}

/// The weights of some runs added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Batch {
    /// Runs.
    pub runs: u64,
    /// Runs that went wrong.
    pub hits: u64,
    /// Sum of their weights.
    pub sum: f64,
    /// Sum of the squares.
    pub squares: f64,
    /// The largest weight.
    pub largest: f64,
    /// Runs that were given up before their end was known.
    pub endless: u64,
}

impl Batch {
    /// One more run, of weight 0 unless it went wrong.
    pub fn push(&mut self, weight: f64) {
        self.runs += 1;
        self.hits += u64::from(weight > 0.0);
        self.sum += weight;
        self.squares += weight * weight;
        self.largest = self.largest.max(weight);
    }

    /// A run that was given up.
    pub fn give_up(&mut self) {
        self.runs += 1;
        self.endless += 1;
    }

    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self {
            runs: self.runs + other.runs,
            hits: self.hits + other.hits,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
            largest: self.largest.max(other.largest),
            endless: self.endless + other.endless,
        }
    }
}

/// The mean weight of the runs in batches of one size, with the interval of Student over the means of the batches; where all
/// weigh 1, with that of [`counted`].
///
/// # Errors
/// A sentence, when the runs say too little: none went wrong, few, or a few of large weight make up the whole.
pub fn weighted(batches: &[Batch]) -> Result<Estimate, String> {
    let all = batches.iter().fold(Batch::default(), |all, batch| all.and(*batch));
    if all.endless > 0 {
        return Err(format!("{} of {} runs came to no end within their limit", all.endless, all.runs));
    }
    if all.hits == 0 {
        return Err(format!("none of {} runs went wrong, which says nothing about how rare it is", all.runs));
    }
    if all.largest == 1.0 && all.squares == all.hits as f64 {
        // All weigh the same.
        return Ok(counted(all.hits, all.runs));
    }
    let effective = all.sum * all.sum / all.squares;
    if effective < LEAST_EFFECTIVE || all.largest > MOST_SHARE * all.sum {
        return Err(format!(
            "{} of {} runs went wrong, but their weights are worth {effective:.0} runs only (the heaviest makes {:.0} % of the \
             sum): too few for an interval that can be trusted",
            all.hits,
            all.runs,
            100.0 * all.largest / all.sum
        ));
    }
    let means: Vec<f64> = batches.iter().filter(|b| b.runs > 0).map(|b| b.sum / b.runs as f64).collect();
    let mut estimate = replicated(&means)?;
    (estimate.runs, estimate.hits, estimate.effective) = (all.runs, all.hits, effective);
    Ok(estimate)
}

/// The mean of independent replications of one unbiased estimator, with the interval of Student.
///
/// # Errors
/// A sentence, when there are fewer than ten replications, or most of them saw nothing.
pub fn replicated(values: &[f64]) -> Result<Estimate, String> {
    let n = values.len() as f64;
    let hits = values.iter().filter(|v| **v > 0.0).count();
    if values.len() < 10 {
        return Err(format!("{} replications are too few for an interval", values.len()));
    }
    if 2 * hits < values.len() {
        return Err(format!("{} of {} replications saw nothing go wrong: too little effort", values.len() - hits, n));
    }
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
    let spread = student(n - 1.0) * (variance / n).sqrt();
    let (runs, hits) = (values.len() as u64, hits as u64);
    Ok(Estimate {
        value: mean.min(1.0),
        low: (mean - spread).max(0.0),
        high: (mean + spread).min(1.0),
        runs,
        hits,
        effective: hits as f64,
    })
}

/// The 97.5th percentile of Student's distribution, by its expansion about the normal one (Abramowitz and Stegun 26.7.5).
pub(super) fn student(freedom: f64) -> f64 {
    let z2 = Z * Z;
    let first = Z * (z2 + 1.0) / 4.0;
    let second = Z * ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0;
    let third = Z * (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0;
    let fourth = Z * ((((79.0 * z2 + 776.0) * z2 + 1482.0) * z2 - 1920.0) * z2 - 945.0) / 92_160.0;
    Z + (first + (second + (third + fourth / freedom) / freedom) / freedom) / freedom
}

/// The share of a beta distribution below x: its continued fraction (Abramowitz and Stegun 26.5.8), by Lentz's algorithm.
fn beta_below(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_below(b, a, 1.0 - x);
    }
    let log = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * libm::log(x) + b * libm::log1p(-x);
    const TINY: f64 = 1e-300;
    let apart = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut d = 1.0 / apart(1.0 - (a + b) * x / (a + 1.0));
    let (mut c, mut fraction) = (1.0, d);
    for m in 1..10_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        for part in [even, odd] {
            d = 1.0 / apart(1.0 + part * d);
            c = apart(1.0 + part / c);
            fraction *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-14 {
            break;
        }
    }
    libm::exp(log) * fraction / a
}

/// The point below which that share of a beta distribution lies, by halving.
fn beta_quantile(a: f64, b: f64, share: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let middle = if low > 0.0 && high / low > 4.0 { libm::sqrt(low * high) } else { 0.5 * (low + high) };
        if beta_below(a, b, middle) < share { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use overtake_sim::clock::Rng;

    #[test]
    fn clopper_and_pearson() {
        // No hits in n: 1 - 0.025^(1/n). All: the mirror image.
        let none = counted(0, 100);
        assert!((none.high - (1.0 - 0.025f64.powf(0.01))).abs() < 1e-10 && none.low == 0.0);
        assert!((counted(100, 100).low - 0.025f64.powf(0.01)).abs() < 1e-10);
        // Published for 10 of 100: 0.0490047 to 0.1762226.
        let ten = counted(10, 100);
        assert!((ten.low - 0.049_004_69).abs() < 1e-7 && (ten.high - 0.176_222_60).abs() < 1e-7, "{ten:?}");
        // Rare ones follow Poisson: 3 hits lie within 0.61867 and 8.76727.
        let rare = counted(3, 1_000_000_000);
        assert!((rare.low * 1e9 - 0.618_67).abs() < 1e-4 && (rare.high * 1e9 - 8.767_27).abs() < 1e-4, "{rare:?}");
    }

    #[test]
    fn students_percentiles() {
        let published = [
            (9.0, 2.262_157_163, 2e-5),
            (19.0, 2.093_024_054, 4e-7),
            (31.0, 2.039_513_446, 4e-8),
            (120.0, 1.979_930_405, 1e-9),
        ];
        for (freedom, expected, within) in published {
            let percentile = student(freedom);
            assert!((percentile - expected).abs() < within, "{freedom}: {percentile}, not {expected}");
        }
    }

    /// The mean of exponential weights, 32 batches of 100: the interval covers 1 about as often as it says.
    #[test]
    fn intervals_cover() {
        let covered = (0..400u64).filter(|seed| {
            let mut rng = Rng::new(*seed);
            let mut batches = [Batch::default(); 32];
            for batch in &mut batches {
                (0..100).for_each(|_| batch.push(-libm::log(1.0 - rng.unit())));
            }
            weighted(&batches).expect("enough").covers(1.0)
        });
        let covered = covered.count();
        assert!((365..=395).contains(&covered), "{covered} of 400");
    }

    #[test]
    fn too_little_is_told() {
        let none = [Batch { runs: 100, ..Batch::default() }; 20];
        assert!(weighted(&none).unwrap_err().contains("none of 2000 runs"));
        let mut heavy = [Batch::default(); 20];
        for batch in &mut heavy {
            (0..100).for_each(|_| batch.push(1e-9));
        }
        heavy[3].push(1e-3);
        assert!(weighted(&heavy).unwrap_err().contains("too few"), "{:?}", weighted(&heavy));
        assert!(replicated(&[0.1; 5]).is_err());
        assert!(replicated(&[vec![0.0; 20], vec![0.1; 5]].concat()).unwrap_err().contains("too little effort"));
    }
}
