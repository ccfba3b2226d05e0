//! Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010): strict priorities with
//! few points at which they change, so that a bug which needs few orders to be right is found with a known chance.
//!
//! A process is what a client does by itself, what reaches it, what the server does with its requests, or what the server
//! does with its sessions: four a client, and one for each server of several. Each run gives the n processes distinct priorities in random order, and the
//! enabled process of the highest priority goes on; at d - 1 steps, drawn among the first k, the one that has just
//! moved drops below all others, to a priority that was drawn with the step. A run finds a bug of depth d (one that d orders
//! of two steps decide) with a chance of at least 1 / (n · k^(d-1)), where that holds: for bugs that need no fault, by the order
//! of steps of different processes, in runs of at most k steps. Here k is the longest of a few random walks, which longer
//! runs may exceed, and a process may have several steps to pick from. Faults are not part of that paper: a run draws how
//! many strike, so that one of F + 1 runs has none where F are allowed, and each strikes at a step drawn among the first k.
//! A bug that needs faults has no such bound; each fault costs at least another factor 1 / k.

use overtake_sim::clock::rng::Rng;
use overtake_sim::world::{Engine, Reductions, Step, StepKind, World};

use super::random::{RandomWalk, pick};
use super::way::Way;
use super::{Ended, Judge, SampledRun, Sampler};

/// Processes a client.
const PROCESSES: usize = 4;
/// Walks that measure how long runs are.
const PILOTS: u64 = 64;

/// PCT with a depth, over a world whose runs are about `steps` long.
#[derive(Clone, Debug)]
pub struct Pct {
    /// Orders that a bug needs, d.
    depth: usize,
    /// Steps among which priorities change, k.
    steps: usize,
    clients: usize,
    /// Processes, n.
    processes: usize,
    /// Faults that a run may draw.
    faults: u64,
    /// Most steps of a run.
    limit: usize,
}

impl Pct {
    /// Measures how long runs of the world are by random walks from the seed, and prepares PCT of that depth (at least
    /// 1). A run has at most `limit` steps.
    pub fn new(world: &World, depth: usize, limit: usize, seed: u64) -> Self {
        let mut engine = Engine::new(world, Reductions::NONE);
        let mut judge = Judge::new(&mut engine, &[]);
        let (walk, rng) = (RandomWalk { limit }, Rng::new(seed));
        let longest = (0..PILOTS).map(|pilot| {
            let seed = rng.fork(u64::MAX - pilot).next_u64();
            walk.run(&mut engine, &mut judge, seed).steps.len()
        });
        let setup = world.setup();
        let servers = if setup.followers > 0 { setup.followers + 1 } else { 0 };
        Self {
            depth: depth.max(1),
            steps: longest.max().unwrap_or(0).max(1),
            clients: setup.clients.len(),
            processes: PROCESSES * setup.clients.len() + servers,
            faults: setup.budget.iter().map(|(_, n)| u64::from(n)).sum(),
            limit,
        }
    }

    /// The chance, at least, that one run without faults finds a bug of the depth that needs none, lies between processes and
    /// shows within the first k steps.
    pub fn bound(&self) -> f64 {
        1.0 / (self.processes as f64 * (self.steps as f64).powi(self.depth as i32 - 1))
    }
}

/// The process that takes the step.
fn process(step: Step, clients: usize) -> usize {
    let part = match step.kind {
        kind if kind.is_of_servers() => return clients * PROCESSES + usize::from(step.slot),
        StepKind::Deliver | StepKind::Answer => 0,
        StepKind::Serve | StepKind::Reconnect | StepKind::Call => 1,
        StepKind::Local | StepKind::Notice => 2,
        _ => 3,
    };
    step.slot as usize * PROCESSES + part
}

impl Sampler for Pct {
    fn name(&self) -> &str {
        "pct"
    }

    fn parameters(&self) -> Vec<(String, String)> {
        vec![
            ("step limit".into(), self.limit.to_string()),
            ("depth d".into(), self.depth.to_string()),
            ("processes n".into(), self.processes.to_string()),
            ("steps k".into(), format!("{}, the longest of {PILOTS} random walks; runs may be longer", self.steps)),
            (
                "chance a run".into(),
                format!(
                    "at least 1/(n·k^(d-1)) = {:.1e}, only for a bug of depth d between processes, without faults, in runs \
                     of at most k steps; no bound for bugs that need a fault",
                    self.bound()
                ),
            ),
            (
                "runs without faults".into(),
                match self.faults {
                    0 => "all".into(),
                    most => format!("1 of {}; the chance is that of such a run", most + 1),
                },
            ),
        ]
    }

    fn run(&self, engine: &mut Engine<'_>, judge: &mut Judge<'_>, seed: u64) -> SampledRun {
        let mut rng = Rng::new(seed);
        let mut priorities = shuffled(&mut rng, self.processes);
        // The order of the lowered priorities is drawn too: what is lowered later need not end up below.
        let mut changes: Vec<(usize, i64)> =
            (1..self.depth).map(|at| (rng.below(self.steps as u64) as usize, -(at as i64))).collect();
        let count = rng.below(self.faults + 1);
        let mut strikes: Vec<usize> = (0..count).map(|_| rng.below(self.steps as u64) as usize).collect();
        // The last is the next.
        changes.sort_unstable_by(|a, b| b.cmp(a));
        strikes.sort_unstable_by(|a, b| b.cmp(a));
        let mut way = Way::new(engine, judge);
        loop {
            if let Some(run) = way.look(engine, judge, self.limit) {
                return run;
            }
            let at = way.len();
            let due = strikes.last().is_some_and(|&strike| strike <= at || way.forced.is_empty());
            if due && !way.faults.is_empty() {
                strikes.pop();
                let step = pick(&mut rng, &way.faults);
                way.take(engine, step);
                continue;
            }
            if way.forced.is_empty() {
                return way.end(Ended::AtRest);
            }
            let step = if at < self.steps {
                let highest = way.forced.iter().map(|&step| priorities[process(step, self.clients)]).max();
                way.forced.retain(|&step| Some(priorities[process(step, self.clients)]) == highest);
                pick(&mut rng, &way.forced)
            } else {
                // The chance is spent: anything, so that nobody spins for ever at the highest priority.
                pick(&mut rng, &way.forced)
            };
            if let Some((_, priority)) = changes.pop_if(|change| change.0 <= at) {
                priorities[process(step, self.clients)] = priority;
            }
            way.take(engine, step);
        }
    }
}

/// The numbers from 1 to `n` in any order (Fisher and Yates).
fn shuffled(rng: &mut Rng, n: usize) -> Vec<i64> {
    let mut all: Vec<i64> = (1..=n as i64).collect();
    for last in (1..n).rev() {
        all.swap(last, rng.below(last as u64 + 1) as usize);
    }
    all
}
