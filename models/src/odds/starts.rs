//! When clients begin: at once, each at a moment of its own in a period, or one after the other as customers arrive.

use overtake_sim::clock::{Rng, duration};

/// When the clients of one run begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Starts {
    /// All at the same moment.
    AtOnce,
    /// Each at a moment of this period, drawn evenly and independently.
    Within(u64),
    /// One after the other, in a random order, with exponential gaps of this mean: neighbours of a Poisson process.
    Arriving(u64),
}

/// Of a draw by importance: how much of it is drawn as the clients really begin, so that no weight is large.
const HONEST: f64 = 0.1;

impl Starts {
    /// In words.
    pub fn text(&self) -> String {
        match self {
            Self::AtOnce => "all clients begin at the same moment".into(),
            Self::Within(period) => {
                format!("each client begins at a moment of {}, drawn evenly and independently", duration::text(*period))
            }
            Self::Arriving(gap) => {
                format!(
                    "clients begin one after the other as a Poisson process, one in {} on average",
                    duration::rounded(*gap)
                )
            }
        }
    }

    /// Draws when each of the clients begins, in nanoseconds.
    pub fn draw(&self, clients: usize, rng: &mut Rng) -> Vec<f64> {
        match *self {
            Self::AtOnce => vec![0.0; clients],
            Self::Within(period) => (0..clients).map(|_| period as f64 * rng.unit()).collect(),
            Self::Arriving(gap) => self.arrivals(clients, rng, &mut |rng| -(gap as f64) * libm::log(1.0 - rng.unit())),
        }
    }

    fn arrivals(&self, clients: usize, rng: &mut Rng, gap: &mut dyn FnMut(&mut Rng) -> f64) -> Vec<f64> {
        let mut order: Vec<usize> = (0..clients).collect();
        for at in (1..clients).rev() {
            order.swap(at, rng.below(at as u64 + 1) as usize);
        }
        let (mut starts, mut now) = (vec![0.0; clients], 0.0);
        for (at, client) in order.into_iter().enumerate() {
            now += if at == 0 { 0.0 } else { gap(rng) };
            starts[client] = now;
        }
        starts
    }

    /// Draws so that clients often begin close to one another, whatever close means from `least` nanoseconds up: distances
    /// are even over their logarithms. Answers the likelihood ratio as well, which is exact: the density of these moments
    /// as clients really begin over that of this draw.
    pub fn draw_close(&self, clients: usize, least: f64, rng: &mut Rng) -> (Vec<f64>, f64) {
        match *self {
            Self::AtOnce => (vec![0.0; clients], 1.0),
            _ if clients < 2 => (self.draw(clients, rng), 1.0),
            Self::Within(period) => within(period as f64, clients, least, rng),
            Self::Arriving(mean) => {
                let (mean, mut ratio) = (mean as f64, 1.0);
                // Beyond forty means nothing arrives that could be told from never.
                let near = Near { least, reach: 40.0 * mean };
                let starts = self.arrivals(clients, rng, &mut |rng| {
                    let gap = if rng.chance(HONEST) { -mean * libm::log(1.0 - rng.unit()) } else { near.draw(rng) };
                    let true_density = libm::exp(-gap / mean) / mean;
                    ratio *= true_density / (HONEST * true_density + (1.0 - HONEST) * near.density(gap));
                    gap
                });
                (starts, ratio)
            }
        }
    }
}

/// Distances from 0 to a reach whose density falls as 1 / (least + distance).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Near {
    pub least: f64,
    pub reach: f64,
}

impl Near {
    fn span(&self) -> f64 {
        libm::log1p(self.reach / self.least)
    }

    pub fn draw(&self, rng: &mut Rng) -> f64 {
        self.least * libm::expm1(self.span() * rng.unit())
    }

    pub fn density(&self, distance: f64) -> f64 {
        if (0.0..=self.reach).contains(&distance) { 1.0 / (self.span() * (self.least + distance)) } else { 0.0 }
    }
}

/// One client is the middle, drawn evenly; each other one is near it with some probability, else anywhere.
fn within(period: f64, clients: usize, least: f64, rng: &mut Rng) -> (Vec<f64>, f64) {
    let n = clients as f64;
    // Half of the draws bring two together, half of them nearly all.
    let joins = [1.0 / (n - 1.0), 1.0 - HONEST].map(|share: f64| share.min(1.0 - HONEST));
    let even = 1.0 / period;
    // To both sides of a moment; the side is drawn by its length in logarithms.
    let sides = |middle: f64| [Near { least, reach: middle }, Near { least, reach: period - middle }];
    let near = |middle: f64, at: f64| {
        let [before, after] = sides(middle);
        let all = before.span() + after.span();
        if at < middle {
            before.density(middle - at) * before.span() / all
        } else {
            after.density(at - middle) * after.span() / all
        }
    };
    let middle = rng.below(clients as u64) as usize;
    let join = joins[rng.below(2) as usize];
    let mut starts = vec![period * rng.unit(); clients];
    let from = starts[middle];
    for (_, start) in starts.iter_mut().enumerate().filter(|(client, _)| *client != middle) {
        *start = if rng.chance(join) {
            let [before, after] = sides(from);
            let all = before.span() + after.span();
            if rng.unit() * all < before.span() { from - before.draw(rng) } else { from + after.draw(rng) }
        } else {
            period * rng.unit()
        };
        *start = start.clamp(0.0, period);
    }
    // The density relative to even draws, over every way in which these moments can have been drawn.
    let mut ratio = 0.0;
    for middle in 0..clients {
        for join in joins {
            let others = (0..clients).filter(|other| *other != middle);
            let product: f64 =
                others.map(|other| 1.0 - join + join * near(starts[middle], starts[other]) / even).product();
            ratio += product / (2.0 * n);
        }
    }
    (starts, 1.0 / ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use overtake_sim::clock::duration::{HOUR, MILLISECOND};

    /// The share of draws in which two of the clients begin within `window`, by weight.
    fn close(starts: Starts, clients: usize, window: f64) -> (f64, f64) {
        let (mut rng, n) = (Rng::new(5), 60_000);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..n {
            let (drawn, ratio) = starts.draw_close(clients, 1e5, &mut rng);
            let near = (1..clients).any(|i| (0..i).any(|j| (drawn[i] - drawn[j]).abs() < window));
            let weight = if near { ratio } else { 0.0 };
            sum += weight;
            squares += weight * weight;
        }
        let mean = sum / f64::from(n);
        (mean, ((squares / f64::from(n) - mean * mean) / f64::from(n)).sqrt())
    }

    #[test]
    fn two_in_an_hour_within_ten_milliseconds() {
        let (period, window) = (HOUR as f64, 10.0 * MILLISECOND as f64);
        // Two even moments are closer than w with probability 2w/T - (w/T)².
        let expected = 2.0 * window / period - window * window / period / period;
        let (seen, deviation) = close(Starts::Within(HOUR), 2, window);
        assert!((seen - expected).abs() < 4.0 * deviation && deviation < 0.03 * expected, "{seen} ± {deviation}");
        // Of five, some two are: about ten times as often.
        let (seen, deviation) = close(Starts::Within(HOUR), 5, window);
        assert!((seen - 10.0 * expected).abs() < 4.0 * deviation + 0.001 * expected && deviation < 0.5 * expected);
    }

    #[test]
    fn arrivals_within_ten_milliseconds() {
        let (gap, window) = (HOUR as f64, 10.0 * MILLISECOND as f64);
        let expected = -libm::expm1(-window / gap);
        let (seen, deviation) = close(Starts::Arriving(HOUR), 2, window);
        assert!((seen - expected).abs() < 4.0 * deviation && deviation < 0.03 * expected, "{seen} ± {deviation}");
    }

    /// Likelihood ratios are 1 on average, as they must be.
    #[test]
    fn ratios_average_to_one() {
        for (starts, clients) in [(Starts::Within(HOUR), 2), (Starts::Within(HOUR), 4), (Starts::Arriving(HOUR), 3)] {
            let mut rng = Rng::new(11);
            let n = 100_000;
            let ratios: Vec<f64> = (0..n).map(|_| starts.draw_close(clients, 1e5, &mut rng).1).collect();
            let mean = ratios.iter().sum::<f64>() / f64::from(n);
            let variance = ratios.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>() / f64::from(n);
            assert!((mean - 1.0).abs() < 4.0 * (variance / f64::from(n)).sqrt() + 1e-3, "{starts:?}: {mean}");
        }
    }

    #[test]
    fn real_draws_are_in_the_period_and_in_random_order() {
        let mut rng = Rng::new(1);
        assert_eq!(Starts::AtOnce.draw(3, &mut rng), [0.0; 3]);
        let first = (0..1000).filter(|_| Starts::Arriving(HOUR).draw(2, &mut rng)[0] == 0.0).count();
        assert!((430..570).contains(&first), "{first}");
        assert!(Starts::Within(HOUR).draw(9, &mut rng).iter().all(|at| (0.0..HOUR as f64).contains(at)));
    }
}
