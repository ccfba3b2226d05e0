//! The question and its answer: which method, how much effort, and what the answer rests on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use overtake_sim::clock::Rng;

use super::chain;
use super::estimate::{Batch, Estimate, replicated, weighted};
use super::field::Field;
use super::graph::{Graph, NoGraph};
use super::race::Race;
use super::split::split;
use super::starts::Starts;
use super::threads::spread;
use super::timed::Runs;
use crate::scenario::Scenario;
use crate::search::Progress;
use crate::timed::Timing;

/// Batches of runs, from whose means an interval is computed.
const BATCHES: usize = 64;
/// Replications of splitting.
const REPLICATIONS: usize = 32;

/// How the probability is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Exactly where every time is exponential, else by importance on the steps where the states fit into memory, else by importance
    /// on the starts.
    Auto,
    /// The chain of exponential times, solved.
    Exact,
    /// Importance sampling on the steps of the race window.
    Race,
    /// Importance splitting by the distance to a violation.
    Split,
    /// Runs in full virtual time, with importance sampling on the moments at which clients begin.
    Starts,
    /// Runs in full virtual time, as they really go.
    Plain,
}

impl Method {
    /// All that can be asked for, with their names.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Auto, "auto"),
        (Self::Exact, "exact"),
        (Self::Race, "race"),
        (Self::Split, "split"),
        (Self::Starts, "starts"),
        (Self::Plain, "plain"),
    ];

    /// What it does, in words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Auto => "whatever fits",
            Self::Exact => "the chain of exponential times, solved exactly",
            Self::Race => "importance sampling on the steps of the race window",
            Self::Split => "importance splitting by the number of steps to a violation",
            Self::Starts => "runs in full virtual time, importance sampling on when clients begin",
            Self::Plain => "runs in full virtual time, plain Monte Carlo",
        }
    }
}

/// A question.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// What may go wrong.
    pub scenario: &'a Scenario,
    /// How long everything takes.
    pub timing: Timing,
    /// When clients begin.
    pub starts: Starts,
    /// How the answer is found.
    pub method: Method,
    /// The interval wanted: plus and minus so much of the estimate.
    pub within: f64,
    /// Most runs; of splitting, runs a level and replication.
    pub most_runs: u64,
    /// Most states of the graph.
    pub most_states: usize,
    /// What decides every draw.
    pub seed: u64,
    /// Threads; they do not change the answer.
    pub threads: usize,
    /// Raised from outside (Ctrl-C) to end it.
    pub stop: Arc<AtomicBool>,
    /// Where a watcher can read how far it is: runs as `frontier`.
    pub progress: Arc<Progress>,
}

/// What is known of the probability.
#[derive(Clone, Debug, PartialEq)]
pub enum Odds {
    /// It is 0: in no order of events is a property violated.
    Never,
    /// Exactly that.
    Exact(f64),
    /// An estimate.
    Estimated(Estimate),
    /// Nothing that can be trusted: why.
    TooLittle(String),
    /// It was stopped.
    Stopped,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The probability that one run goes wrong.
    pub odds: Odds,
    /// How it was found.
    pub method: Method,
    /// States of the scenario, where all of them were met.
    pub states: Option<usize>,
    /// Least number of steps to a violation, where all states were met.
    pub distance: Option<u32>,
    /// The properties that can be violated, where all states were met.
    pub violated: Vec<&'static str>,
    /// What it rests on.
    pub assumptions: Vec<String>,
}

impl<'a> Question<'a> {
    /// A question about the scenario as it is, with clients that begin at once, on a healthy network with the defaults of virtual time.
    pub fn about(scenario: &'a Scenario) -> Self {
        Self {
            scenario,
            timing: Timing::default().healthy(),
            starts: Starts::AtOnce,
            method: Method::Auto,
            within: 0.1,
            most_runs: 10_000_000,
            most_states: 300_000,
            seed: 1,
            threads: 1,
            stop: Arc::default(),
            progress: Arc::default(),
        }
    }

    /// The answer.
    ///
    /// # Errors
    /// A sentence, when the method cannot answer the question, or a program breaks the rules.
    pub fn answer(&self) -> Result<Answer, String> {
        let trouble = trouble(&self.timing);
        let wants_graph = matches!(self.method, Method::Exact | Method::Race | Method::Split);
        if wants_graph && !trouble.is_empty() {
            return Err(format!(
                "this method knows no faults, and the timing has some ({}); take --method starts or plain, or set them to never",
                trouble.join(", ")
            ));
        }
        let graph = match self.method {
            Method::Auto | Method::Exact | Method::Race | Method::Split if trouble.is_empty() => {
                match Graph::of(self.scenario, &self.timing, self.most_states) {
                    Ok(graph) => Some(graph),
                    Err(NoGraph::Broken(why)) => return Err(why),
                    Err(NoGraph::TooLarge(most)) if wants_graph => {
                        return Err(format!("the scenario has more than {most} states; take --method starts or plain"));
                    }
                    Err(NoGraph::TooLarge(_)) => None,
                }
            }
            _ => None,
        };
        let Some(graph) = graph else {
            let method = match self.method {
                Method::Auto if self.starts == Starts::AtOnce => Method::Plain,
                Method::Auto => Method::Starts,
                method => method,
            };
            return Ok(self.answered(method, self.in_virtual_time(method)?, None));
        };
        if !graph.can_go_wrong() {
            return Ok(self.answered(Method::Exact, Odds::Never, Some(&graph)));
        }
        let field = Field::new(&graph, self.starts);
        let method = match self.method {
            Method::Auto if field.is_markov() => Method::Exact,
            Method::Auto => Method::Race,
            method => method,
        };
        let odds = match method {
            Method::Exact => Odds::Exact(chain::exact(&field)?.value),
            Method::Split => self.by_splitting(&field)?,
            _ => self.by_racing(&field)?,
        };
        Ok(self.answered(method, odds, Some(&graph)))
    }

    fn answered(&self, method: Method, odds: Odds, graph: Option<&Graph>) -> Answer {
        Answer {
            odds,
            method,
            states: graph.map(|graph| graph.states),
            distance: graph.and_then(Graph::steps_to_violation),
            violated: graph.map(|graph| graph.violated.clone()).unwrap_or_default(),
            assumptions: self.assumptions(method),
        }
    }

    fn by_racing(&self, field: &Field) -> Result<Odds, String> {
        let race = Race::new(field)?;
        self.in_rounds(|jobs, put, runs, rngs| {
            while let Some(job) = jobs.take() {
                let mut rng: Rng = rngs[job].clone();
                put(job, (race.batch(runs, &mut rng), rng));
            }
            Ok(())
        })
    }

    fn in_virtual_time(&self, method: Method) -> Result<Odds, String> {
        let runs = match method {
            Method::Starts => Runs::close(self.scenario, &self.timing, self.starts),
            _ => Runs::plain(self.scenario, &self.timing, self.starts),
        };
        self.in_rounds(|jobs, put, count, rngs| {
            let world = runs.world()?;
            while let Some(job) = jobs.take() {
                let mut rng: Rng = rngs[job].clone();
                put(job, (runs.batch(&world, count, &mut rng)?, rng));
            }
            Ok(())
        })
    }

    /// Does rounds of batches, each twice as large as the one before, until the interval is as narrow as wanted.
    fn in_rounds(
        &self,
        work: impl Fn(&super::threads::Jobs<'_>, &mut dyn FnMut(usize, (Batch, Rng)), u64, &[Rng]) -> Result<(), String>
        + Sync,
    ) -> Result<Odds, String> {
        let seed = Rng::new(self.seed);
        let mut rngs: Vec<Rng> = (0..BATCHES as u64).map(|batch| seed.fork(batch)).collect();
        let mut batches = vec![Batch::default(); BATCHES];
        let (mut done, mut runs) = (0, 8);
        loop {
            let Some(round) = spread(self.threads, BATCHES, &self.stop, |jobs, put| work(jobs, put, runs, &rngs))?
            else {
                return Ok(Odds::Stopped);
            };
            for (at, (batch, rng)) in round.into_iter().enumerate() {
                batches[at] = batches[at].and(batch);
                rngs[at] = rng;
            }
            done += runs * BATCHES as u64;
            self.progress.frontier.store(done as usize, Ordering::Relaxed);
            let estimate = weighted(&batches);
            match estimate {
                Ok(estimate) if estimate.relative() <= self.within => return Ok(Odds::Estimated(estimate)),
                _ if done >= self.most_runs => {
                    return Ok(estimate.map_or_else(Odds::TooLittle, Odds::Estimated));
                }
                _ => {}
            }
            let left = (self.most_runs - done).div_ceil(BATCHES as u64);
            runs = (done / BATCHES as u64).min(left);
        }
    }

    fn by_splitting(&self, field: &Field) -> Result<Odds, String> {
        let (seed, mut trials) = (Rng::new(self.seed), 64);
        loop {
            let done = spread(self.threads, REPLICATIONS, &self.stop, |jobs, put| {
                while let Some(job) = jobs.take() {
                    put(job, split(field, trials, &mut seed.fork(trials as u64).fork(job as u64)));
                }
                Ok(())
            })?;
            let Some(values) = done else { return Ok(Odds::Stopped) };
            self.progress.frontier.store(trials * REPLICATIONS, Ordering::Relaxed);
            let estimate = replicated(&values);
            match estimate {
                Ok(estimate) if estimate.relative() <= self.within => return Ok(Odds::Estimated(estimate)),
                _ if (trials * REPLICATIONS) as u64 >= self.most_runs => {
                    return Ok(estimate.map_or_else(Odds::TooLittle, Odds::Estimated));
                }
                _ => trials *= 2,
            }
        }
    }

    /// What an answer by that method rests on.
    fn assumptions(&self, method: Method) -> Vec<String> {
        let clients = self.scenario.size();
        let mut list = vec![
            format!("{clients} clients, and no others that touch the same things"),
            self.starts.text(),
            "every time is drawn by itself from its distribution: no slow phases, no pauses or bursts that hit several clients \
             at once"
                .into(),
        ];
        match method {
            Method::Starts | Method::Plain => {
                let trouble = trouble(&self.timing);
                list.push(match trouble.is_empty() {
                    true => "no faults".into(),
                    false => format!("faults as the timing has them: {}", trouble.join(", ")),
                });
            }
            _ => {
                let expiries = self.scenario.budget().key_expiries;
                list.push(match expiries {
                    0 => "no faults: no process dies, no call is lost, no session ends, no item expires".into(),
                    n => format!("no faults but at most {n} items that expire"),
                });
                list.push("a client's requests on one connection follow each other: the next one's time begins when the one before is taken".into());
            }
        }
        list
    }
}

/// What goes wrong by the timing, by the names of its parameters.
fn trouble(timing: &Timing) -> Vec<String> {
    let healthy = timing.clone().healthy().parameters();
    let changed = timing.parameters().into_iter().zip(healthy).filter(|(own, healthy)| own != healthy);
    changed.map(|((name, value), _)| format!("{name} {value}")).collect()
}
