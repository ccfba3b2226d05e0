//! The random walk: any enabled step may come next.

use overtake_sim::clock::rng::Rng;
use overtake_sim::world::{Engine, MOST_CLIENTS, Step};

use super::way::Way;
use super::{Ended, Judge, SampledRun, Sampler};

/// How likely a fault is at a step at which one is enabled; each run draws one of them.
const FAULT_CHANCES: [f64; 6] = [0.0, 1.0 / 32.0, 1.0 / 16.0, 1.0 / 8.0, 1.0 / 4.0, 1.0 / 2.0];
/// How likely what concerns a client is against the other clients; every other run draws one of them for each client, so
/// that some stand still while others go on. In the rest all are alike.
const PACES: [u64; 3] = [1, 4, 16];

/// A walk over the enabled steps: uniform or at paces that differ by client, faults rarer.
#[derive(Clone, Debug)]
pub struct RandomWalk {
    /// Most steps of a run.
    pub limit: usize,
}

impl Sampler for RandomWalk {
    fn name(&self) -> &str {
        "random"
    }

    fn parameters(&self) -> Vec<(String, String)> {
        let list = |numbers: &[String]| numbers.join(", ");
        let chances = FAULT_CHANCES.map(|c| if c == 0.0 { "0".into() } else { format!("1/{}", 1.0 / c) });
        vec![
            ("step limit".into(), self.limit.to_string()),
            (
                "chance of a fault".into(),
                format!("one of {} a run; at least 1/4 where nothing else can happen", list(&chances)),
            ),
            ("paces of clients".into(), format!("every other run {}", list(&PACES.map(|p| p.to_string())))),
        ]
    }

    fn run(&self, engine: &mut Engine<'_>, judge: &mut Judge<'_>, seed: u64) -> SampledRun {
        let mut rng = Rng::new(seed);
        let fault_chance = FAULT_CHANCES[rng.below(FAULT_CHANCES.len() as u64) as usize];
        let paces: Option<[u64; MOST_CLIENTS]> =
            rng.chance(0.5).then(|| std::array::from_fn(|_| PACES[rng.below(PACES.len() as u64) as usize]));
        let mut way = Way::new(engine, judge);
        loop {
            if let Some(run) = way.look(engine, judge, self.limit) {
                return run;
            }
            let step = if way.forced.is_empty() {
                // What waits here waits for ever, unless a fault changes something.
                if !rng.chance(fault_chance.max(0.25)) {
                    return way.end(Ended::AtRest);
                }
                pick(&mut rng, &way.faults)
            } else if !way.faults.is_empty() && rng.chance(fault_chance) {
                pick(&mut rng, &way.faults)
            } else {
                match &paces {
                    None => pick(&mut rng, &way.forced),
                    Some(paces) => pick_at_paces(&mut rng, &way.forced, paces),
                }
            };
            way.take(engine, step);
        }
    }
}

/// Any of them.
#[inline]
pub(super) fn pick(rng: &mut Rng, steps: &[Step]) -> Step {
    steps[rng.below(steps.len() as u64) as usize]
}

/// Any of them, as likely as its client's pace.
fn pick_at_paces(rng: &mut Rng, steps: &[Step], paces: &[u64; MOST_CLIENTS]) -> Step {
    let pace = |step: &Step| step.client().map_or(PACES[1], |slot| paces[slot]);
    let sum: u64 = steps.iter().map(pace).sum();
    let mut at = rng.below(sum);
    for step in steps {
        match at.checked_sub(pace(step)) {
            Some(rest) => at = rest,
            None => return *step,
        }
    }
    unreachable!("the number drawn is below the sum of the paces")
}
