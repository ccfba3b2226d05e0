//! What contention costs: attempts of optimistic locking, and throughput under locks, against the number of contenders.
//!
//! Contenders change documents again and again in virtual time. It is measured until the first of them is done with all of its
//! rounds, so that all contend all the time.

use overtake_sim::clock::Rng;
use overtake_sim::clock::duration::SECOND;
use overtake_sim::world::{Engine, Reductions};

use crate::sample::Judge;
use crate::scenario::Scenario;
use crate::timed::{Timed, Timing};

/// What so many contenders do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contention {
    /// How many there are.
    pub contenders: usize,
    /// Rounds that were done, of all together.
    pub rounds: u64,
    /// Attempts for one round.
    pub attempts: f64,
    /// Most attempts that one round took.
    pub most: u64,
    /// Rounds a second, of all together.
    pub rate: f64,
    /// Fewest rounds of one contender for each round of the quickest.
    pub fairness: f64,
}

/// Runs each scenario of the family, one for each number of contenders, that often. Its programs show `done` with
/// `rounds/attempts/most` after each round.
///
/// # Errors
/// A sentence, when a scenario makes no world, a program breaks the rules, or no round is ever done.
pub fn contention(
    family: impl Fn(usize) -> Scenario,
    contenders: &[usize],
    timing: &Timing,
    runs: u64,
    seed: u64,
) -> Result<Vec<Contention>, String> {
    contenders.iter().map(|&n| measure(&family(n), n, timing, runs, seed)).collect()
}

fn measure(
    scenario: &Scenario,
    contenders: usize,
    timing: &Timing,
    runs: u64,
    seed: u64,
) -> Result<Contention, String> {
    let scenario = scenario.clone().timed();
    let mut all = Contention { contenders, fairness: 1.0, ..Contention::default() };
    let (mut attempts, mut time) = (0, 0);
    for run in 0..runs {
        // Each run has a world of its own: what one meets is of little use to another.
        let world = scenario.world()?;
        let mut engine = Engine::new(&world, Reductions::NONE);
        let mut judge = Judge::new(&mut engine, scenario.judged_by());
        let seed = Rng::new(seed).fork(run).next_u64();
        let timed = Timed::new(timing.clone()).run_timed(&mut engine, &mut judge, seed);
        if let Some(error) = world.error() {
            return Err(error.to_string());
        }
        let mut state = engine.initial();
        let mut last = vec![[0u64; 3]; contenders];
        for (step, moment) in timed.run.steps.iter().zip(&timed.run.moments) {
            engine.take(&mut state, *step);
            let client = world.view(&state).client(usize::from(step.slot));
            if let Some(Some(done)) = client.mark("done") {
                let mut numbers = done.full().split('/').map(|n| n.parse().unwrap_or(0)).collect::<Vec<u64>>();
                numbers.resize(3, 0);
                last[client.slot()] = [numbers[0], numbers[1], numbers[2]];
                if client.is_over() {
                    time += moment;
                    break;
                }
            }
        }
        let rounds: Vec<u64> = last.iter().map(|[rounds, ..]| *rounds).collect();
        all.rounds += rounds.iter().sum::<u64>();
        attempts += last.iter().map(|[_, attempts, _]| attempts).sum::<u64>();
        all.most = all.most.max(last.iter().map(|[.., most]| *most).max().unwrap_or(0));
        let (least, quickest) = (rounds.iter().min().unwrap_or(&0), rounds.iter().max().unwrap_or(&0));
        all.fairness = all.fairness.min(*least as f64 / (*quickest).max(1) as f64);
    }
    if all.rounds == 0 || time == 0 {
        return Err(format!("{}: no contender is done within {} ns", scenario.name(), timing.limit));
    }
    all.attempts = attempts as f64 / all.rounds as f64;
    all.rate = all.rounds as f64 * SECOND as f64 / time as f64;
    Ok(all)
}
