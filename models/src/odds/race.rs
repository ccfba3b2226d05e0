//! Importance sampling on the steps of the race window.
//!
//! At each step some clocks race. How it really goes, clock i runs out first after the time t with the density λᵢ(t) Π Sⱼ(t), where Sⱼ is the
//! probability that clock j lasts longer, given how long it has run already, and λᵢ the rate at which clock i ends then. Here several
//! times are proposed: that of the race as it really goes; that of each clock that is not exponential, whatever the others do; that of
//! the race without each of them; one whose logarithm is even, so that no time is left out; and one that is even up to the
//! moment at which some clock ends for certain. Each time and each winner is weighed by the balance
//! heuristic (Veach and Guibas 1995): its true density over the sum of the proposals' densities. One of them is then drawn in proportion
//! to its weight times how likely a violation is afterwards by the companion, the chain in which every time is
//! exponential with the same mean ([`chain`](super::chain)). The run's weight is multiplied by weight over probability of the draw, so its mean is the true
//! probability whatever the companion says; how little it varies depends on how good the companion is. Where all times are exponential
//! the companion is the truth.
//!
//! A part of the draws leaves the companion aside, so that no way to a violation is taken too seldom because the companion
//! takes it for impossible.

use overtake_sim::clock::Rng;

use super::chain::companion;
use super::estimate::Batch;
use super::field::Field;
use super::starts::Near;
use super::walk::{Fate, MOST_STEPS, Walk};

/// The part of the draws that leaves the companion aside, where some clock is not exponential.
const ASIDE: f64 = 0.05;

/// A field with its companion.
#[derive(Debug)]
pub struct Race<'f> {
    field: &'f Field,
    companion: Vec<f64>,
    aside: f64,
}

/// A clock as it is now.
#[derive(Clone, Copy, Debug, Default)]
struct Racer {
    age: f64,
    /// Logarithm of the probability of having lasted until now.
    lasted: f64,
    memoryless: bool,
}

/// What a proposed time means for one clock.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Logarithm of the probability that it lasts longer.
    longer: f64,
    /// Logarithm of the probability that it lasts that long or longer.
    at_least: f64,
    hazard: f64,
    atom: bool,
}

/// How a time is proposed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Proposal {
    /// By the race of all clocks.
    All,
    /// By one clock alone.
    Only(usize),
    /// By the race of all others.
    Without(usize),
    /// Even over its logarithm.
    Near(Near),
    /// Even up to that moment.
    Before(f64),
}

impl Proposal {
    /// Whether the clock takes part, where it is a race.
    fn has(self, at: usize) -> bool {
        match self {
            Self::All => true,
            Self::Only(one) => at == one,
            Self::Without(one) => at != one,
            Self::Near(_) | Self::Before(_) => false,
        }
    }
}

/// A time that was proposed, and a clock that may end then.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    time: f64,
    winner: usize,
    weight: f64,
}

/// Room for one step's work.
#[derive(Debug, Default)]
struct Room {
    racers: Vec<Racer>,
    seen: Vec<Seen>,
    proposals: Vec<Proposal>,
    candidates: Vec<Candidate>,
}

impl<'f> Race<'f> {
    /// Prepares the companion.
    ///
    /// # Errors
    /// When its probabilities do not settle.
    pub fn new(field: &'f Field) -> Result<Self, String> {
        let aside = if field.is_markov() { 0.0 } else { ASIDE };
        Ok(Self { field, companion: companion(field)?, aside })
    }

    /// What the companion says of the whole.
    pub fn companion(&self) -> f64 {
        self.companion[self.field.start as usize]
    }

    /// So many runs, from this generator.
    pub fn batch(&self, runs: u64, rng: &mut Rng) -> Batch {
        let (mut batch, mut room) = (Batch::default(), Room::default());
        for _ in 0..runs {
            match self.run(rng, &mut room) {
                Some(weight) => batch.push(weight),
                None => batch.give_up(),
            }
        }
        batch
    }

    /// The weight of one run; 0 where nothing goes wrong, `None` where it comes to no end.
    fn run(&self, rng: &mut Rng, room: &mut Room) -> Option<f64> {
        let (mut walk, mut weight) = (Walk::new(self.field, None), 1.0);
        for _ in 0..MOST_STEPS {
            match walk.fate() {
                Some(Fate::Violated) => return Some(weight),
                Some(Fate::Safe) => return Some(0.0),
                None => weight *= self.step(&mut walk, rng, room),
            }
            if weight <= 0.0 {
                return Some(0.0);
            }
        }
        None
    }

    /// Goes one step; answers by what the weight is multiplied.
    fn step(&self, walk: &mut Walk<'f>, rng: &mut Rng, room: &mut Room) -> f64 {
        room.candidates.clear();
        if let Some(group) = walk.at_once() {
            let each = 1.0 / group.len() as f64;
            room.candidates.extend(group.map(|winner| Candidate { time: 0.0, winner, weight: each }));
        } else {
            Self::propose(walk, rng, room);
        }
        let after = |candidate: &Candidate| self.companion[walk.next(candidate.winner) as usize];
        room.candidates.retain(|candidate| candidate.weight > 0.0 && after(candidate) > 0.0);
        let sum: f64 = room.candidates.iter().map(|candidate| candidate.weight * after(candidate)).sum();
        if sum <= 0.0 {
            return 0.0;
        }
        let (each, guided) = (self.aside / room.candidates.len() as f64, 1.0 - self.aside);
        let mut left = rng.unit();
        let mut chosen = None;
        for candidate in &room.candidates {
            let probability = each + guided * candidate.weight * after(candidate) / sum;
            chosen = Some((*candidate, probability));
            left -= probability;
            if left < 0.0 {
                break;
            }
        }
        let Some((candidate, probability)) = chosen else { return 0.0 };
        walk.pass(candidate.time, candidate.winner);
        walk.fire(candidate.winner);
        candidate.weight / probability
    }

    /// Proposes times, and weighs each with each winner.
    fn propose(walk: &Walk<'f>, rng: &mut Rng, room: &mut Room) {
        let Room { racers, seen, proposals, candidates } = room;
        racers.clear();
        racers.extend((0..walk.len()).map(|at| {
            let (law, age) = (walk.law(at), walk.clocks[at].age);
            Racer { age, lasted: law.log_at_least(age), memoryless: law.is_memoryless() }
        }));
        proposals.clear();
        proposals.push(Proposal::All);
        // Of exponential clocks alone the first is known whenever it ends.
        if racers.len() > 1 && racers.iter().any(|racer| !racer.memoryless) {
            let ageing = |at: &usize| !racers[*at].memoryless;
            proposals.extend((0..racers.len()).filter(ageing).map(Proposal::Only));
            if racers.len() > 2 {
                proposals.extend((0..racers.len()).map(Proposal::Without));
            }
            let means = (0..racers.len()).map(|at| walk.law(at).mean());
            let (least, most) =
                means.fold((f64::INFINITY, 0.0), |(least, most), mean| (mean.min(least), mean.max(most)));
            proposals.push(Proposal::Near(Near { least: 0.01 * least, reach: 100.0 * most }));
            let ends = (0..racers.len()).map(|at| walk.law(at).certain_end() - racers[at].age);
            let end = ends.fold(f64::INFINITY, f64::min);
            if end > 0.0 && end < f64::INFINITY {
                proposals.push(Proposal::Before(end));
            }
        }
        for at in 0..proposals.len() {
            let time = match proposals[at] {
                Proposal::Near(near) => near.draw(rng),
                Proposal::Before(end) => end * rng.unit(),
                race => {
                    let racing = (0..racers.len()).filter(|at| race.has(*at));
                    racing.map(|at| walk.law(at).left(racers[at].age, rng)).fold(f64::INFINITY, f64::min)
                }
            };
            seen.clear();
            seen.extend((0..racers.len()).map(|at| see(walk, racers, at, time)));
            weigh(seen, proposals, time, candidates);
        }
    }
}

/// What the time means for the clock.
fn see(walk: &Walk<'_>, racers: &[Racer], at: usize, time: f64) -> Seen {
    let (law, Racer { age, lasted, .. }) = (walk.law(at), racers[at]);
    let total = age + time;
    let longer = law.log_longer_than(total) - lasted;
    let atom = law.is_atom(total);
    let at_least = if atom { law.log_at_least(total) - lasted } else { longer };
    let hazard = if longer > f64::NEG_INFINITY && !atom { law.hazard(total) } else { 0.0 };
    Seen { longer, at_least, hazard, atom }
}

/// Weighs the time with each clock that may end then: true density over the sum of the proposals' densities.
fn weigh(seen: &[Seen], proposals: &[Proposal], time: f64, candidates: &mut Vec<Candidate>) {
    let sum_over = |proposal: Proposal, of: fn(&Seen) -> f64| -> f64 {
        seen.iter().enumerate().filter(|(at, _)| proposal.has(*at)).map(|(_, seen)| of(seen)).sum()
    };
    if seen.iter().any(|seen| seen.atom) {
        // A moment with a probability of its own. Of clocks that end at the same moment the first in order wins.
        let chance = |proposal: Proposal| {
            if matches!(proposal, Proposal::Near(_) | Proposal::Before(_)) {
                return 0.0;
            }
            let (at_least, longer) = (sum_over(proposal, |seen| seen.at_least), sum_over(proposal, |seen| seen.longer));
            if at_least == f64::NEG_INFINITY { 0.0 } else { libm::exp(at_least) * -libm::expm1(longer - at_least) }
        };
        let proposed: f64 = proposals.iter().map(|proposal| chance(*proposal)).sum();
        for (winner, own) in seen.iter().enumerate().filter(|(_, seen)| seen.atom) {
            let others: f64 = (seen.iter().enumerate().filter(|(at, _)| *at != winner))
                .map(|(at, seen)| if at < winner { seen.longer } else { seen.at_least })
                .sum();
            let ends = libm::exp(own.at_least + others) * -libm::expm1(own.longer - own.at_least);
            candidates.push(Candidate { time, winner, weight: if proposed > 0.0 { ends / proposed } else { 0.0 } });
        }
        return;
    }
    let all = sum_over(Proposal::All, |seen| seen.longer);
    if all == f64::NEG_INFINITY {
        return;
    }
    // Every density is taken relative to the probability that all last longer.
    let density = |proposal: Proposal| match proposal {
        Proposal::Near(near) => near.density(time) * libm::exp(-all),
        Proposal::Before(end) => {
            if time < end {
                libm::exp(-all) / end
            } else {
                0.0
            }
        }
        race => sum_over(race, |seen| seen.hazard) * libm::exp(sum_over(race, |seen| seen.longer) - all),
    };
    let proposed: f64 = proposals.iter().map(|proposal| density(*proposal)).sum();
    for (winner, own) in seen.iter().enumerate().filter(|(_, seen)| seen.hazard > 0.0) {
        let weight = if proposed.is_finite() { own.hazard / proposed } else { 0.0 };
        candidates.push(Candidate { time, winner, weight });
    }
}
