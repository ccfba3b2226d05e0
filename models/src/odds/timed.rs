//! Runs in full virtual time: with sessions, heartbeats, pauses and faults, as far as the timing has them.

use overtake_sim::clock::Rng;
use overtake_sim::world::{Engine, Reductions, World};

use super::estimate::Batch;
use super::starts::Starts;
use crate::sample::{Ended, Judge};
use crate::scenario::Scenario;
use crate::timed::{Timed, Timing, roomy};

/// Runs of a scenario in virtual time.
#[derive(Clone, Debug)]
pub struct Runs {
    scenario: Scenario,
    timing: Timing,
    starts: Starts,
    /// What is close, in nanoseconds, where clients are made to begin close to one another.
    close: Option<f64>,
}

impl Runs {
    /// Runs as they really go, each of weight 1.
    pub fn plain(scenario: &Scenario, timing: &Timing, starts: Starts) -> Self {
        Self { scenario: roomy(scenario), timing: timing.clone(), starts, close: None }
    }

    /// Runs in which clients often begin close to one another, weighed by the likelihood of that.
    pub fn close(scenario: &Scenario, timing: &Timing, starts: Starts) -> Self {
        let lengths = [&timing.latency, &timing.service, &timing.work];
        let means = lengths.map(|length| 0.1 * super::law::Law::from(length).mean());
        let close = means.into_iter().filter(|mean| *mean > 0.0).fold(1e9, f64::min);
        Self { close: Some(close), ..Self::plain(scenario, timing, starts) }
    }

    /// The world of the runs.
    ///
    /// # Errors
    /// When the scenario makes none.
    pub fn world(&self) -> Result<World, String> {
        self.scenario.world()
    }

    /// The moments at which clients begin, counted from the first of them. Nobody's run lasts longer than the limit of a run, so
    /// a gap that is longer is as good as one of that length, and spares the heartbeats in between.
    fn since_the_first(&self, starts: &[f64]) -> Vec<u64> {
        let mut order: Vec<usize> = (0..starts.len()).collect();
        order.sort_by(|a, b| starts[*a].total_cmp(&starts[*b]));
        let (mut moments, mut now) = (vec![0; starts.len()], 0u64);
        for pair in order.windows(2) {
            now += ((starts[pair[1]] - starts[pair[0]]) as u64).min(self.timing.limit);
            moments[pair[1]] = now;
        }
        moments
    }

    /// So many runs in the world, from this generator.
    ///
    /// # Errors
    /// When a program breaks the rules.
    pub fn batch(&self, world: &World, runs: u64, rng: &mut Rng) -> Result<Batch, String> {
        let mut engine = Engine::new(world, Reductions::NONE);
        let mut judge = Judge::new(&mut engine, self.scenario.judged_by());
        let mut batch = Batch::default();
        for _ in 0..runs {
            let clients = world.setup().clients.len();
            let (starts, weight) = match self.close {
                Some(close) => self.starts.draw_close(clients, close, rng),
                None => (self.starts.draw(clients, rng), 1.0),
            };
            let starts = self.since_the_first(&starts);
            let last = starts.iter().copied().max().unwrap_or(0);
            let timing = Timing { limit: self.timing.limit.saturating_add(last), ..self.timing.clone() };
            let timed = Timed::new(timing).run_from(&mut engine, &mut judge, rng.next_u64(), &starts);
            match timed.run.ended {
                Ended::Violation => batch.push(weight),
                Ended::AtRest => batch.push(0.0),
                Ended::Limit => batch.give_up(),
                Ended::Error => {
                    return Err(world.error().map_or("a program broke the rules".into(), ToString::to_string));
                }
            }
        }
        Ok(batch)
    }
}
