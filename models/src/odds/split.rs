//! Importance splitting: runs that come closer to a violation are copied, the others are let go.
//!
//! Levels are distances: the least number of steps to a violation. A step lowers the distance by at most one, so no level is passed
//! over. From each level the same number of runs is started (fixed effort: Garvels 2000), out of the states in which runs came to
//! it first, clocks with their ages included; they go their ways at once, since what is left of a clock is drawn only when it
//! matters ([`walk`](super::walk)). The product of the shares that come through is an unbiased estimate, however the levels lie (Del Moral
//! 2004). Where clients begin is drawn by importance before ([`starts`](super::starts)): copies of runs that will not meet would not meet
//! either.

use overtake_sim::clock::Rng;

use super::field::Field;
use super::graph::SAFE;
use super::starts::Starts;
use super::walk::{MOST_STEPS, Walk};

/// One estimate of the probability that the field goes wrong, from so many runs a level.
pub fn split(field: &Field, trials: usize, rng: &mut Rng) -> f64 {
    if field.start == SAFE || trials == 0 {
        return 0.0;
    }
    let least = field.shortest();
    let mut runs: Vec<(Walk<'_>, f64)> = (0..trials)
        .map(|_| match field.starts {
            Starts::AtOnce => (Walk::new(field, None), 1.0),
            starts => {
                let (begins, ratio) = starts.draw_close(field.clients, least, rng);
                (Walk::new(field, Some(begins)), ratio)
            }
        })
        .collect();
    let mut share = 1.0;
    let farthest = field.distance[field.start as usize];
    for level in (0..farthest).rev() {
        runs.retain_mut(|(walk, _)| comes_to(field, walk, level, rng));
        share *= runs.len() as f64 / trials as f64;
        if runs.is_empty() {
            return 0.0;
        }
        if level > 0 {
            runs = copies(&runs, trials, rng);
        }
    }
    // Weights are those of the beginnings: they go with the copies and count in the end.
    share * runs.iter().map(|(_, weight)| weight).sum::<f64>() / runs.len() as f64
}

/// Goes on until the run is at that level or below; `false` when it never comes there.
fn comes_to(field: &Field, walk: &mut Walk<'_>, level: u32, rng: &mut Rng) -> bool {
    for _ in 0..MOST_STEPS {
        if field.distance[walk.node as usize] <= level {
            return true;
        }
        if walk.fate().is_some() {
            return false;
        }
        walk.step(rng);
    }
    false
}

/// That many copies, of each run as many as of any other as nearly as whole numbers allow.
fn copies<'f>(runs: &[(Walk<'f>, f64)], wanted: usize, rng: &mut Rng) -> Vec<(Walk<'f>, f64)> {
    let first = rng.unit();
    let copy = |number: usize| runs[((number as f64 + first) / wanted as f64 * runs.len() as f64) as usize].clone();
    (0..wanted).map(copy).collect()
}
