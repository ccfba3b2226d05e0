//! What contention costs: attempts of optimistic locking, and throughput under locks, against the number of contenders.
//!
//! Contenders change documents again and again in virtual time. It is measured until the first of them is done with all of its
//! rounds, so that all contend all the time. A run is one observation: intervals are those of Student over the runs.

use overtake_sim::clock::Rng;
use overtake_sim::clock::duration::SECOND;
use overtake_sim::world::{Engine, Reductions};

use super::estimate::{Estimate, counted, student};
use crate::property::Property;
use crate::sample::Judge;
use crate::scenario::Scenario;
use crate::timed::{Timed, Timing};

/// A mean over runs with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Mean {
    /// The mean of what the runs showed, with the interval of Student; of one run there is none.
    pub fn of(runs: &[f64]) -> Self {
        let n = runs.len() as f64;
        let value = runs.iter().sum::<f64>() / n;
        if runs.len() < 2 {
            return Self { value, low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        let variance = runs.iter().map(|run| (run - value) * (run - value)).sum::<f64>() / (n - 1.0);
        let spread = student(n - 1.0) * (variance / n).sqrt();
        Self { value, low: value - spread, high: value + spread }
    }

    /// Half of the interval's width.
    pub fn spread(&self) -> f64 {
        0.5 * (self.high - self.low)
    }
}

/// What so many contenders do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contention {
    /// How many there are.
    pub contenders: usize,
    /// Rounds that came to an end, of all together.
    pub rounds: u64,
    /// Attempts for one round.
    pub attempts: Mean,
    /// Most attempts that one round took.
    pub most: u64,
    /// The share of rounds that were given up, all attempts used up: the interval is the one of [`counted`].
    pub given_up: Estimate,
    /// Rounds a second that were not given up, of all together.
    pub rate: Mean,
    /// Fewest rounds of one contender for each round of the quickest.
    pub fairness: f64,
}

/// What one contender shows in its mark `done`: `rounds/attempts/most/given up`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Rounds that came to an end.
    pub rounds: u64,
    /// Attempts in all of them.
    pub attempts: u64,
    /// Most attempts in one of them.
    pub most: u64,
    /// Rounds that were given up.
    pub given_up: u64,
}

impl Shown {
    /// One more round, of so many attempts.
    pub fn round(&mut self, attempts: u64, given_up: bool) {
        self.rounds += 1;
        self.attempts += attempts;
        self.most = self.most.max(attempts);
        self.given_up += u64::from(given_up);
    }

    /// As the mark has it.
    pub fn text(&self) -> String {
        format!("{}/{}/{}/{}", self.rounds, self.attempts, self.most, self.given_up)
    }

    fn read(text: &str) -> Option<Self> {
        let numbers = text.split('/').map(|number| number.parse().ok()).collect::<Option<Vec<u64>>>()?;
        let [rounds, attempts, most, given_up] = numbers[..] else { return None };
        Some(Self { rounds, attempts, most, given_up })
    }
}

/// Runs each scenario of the family, one for each number of contenders, that often. Its programs show `done` with
/// what [`Shown`] says after each round; those that show nothing are there, and not counted.
///
/// # Errors
/// A sentence, when a scenario makes no world, a program breaks the rules, or in some run no contender is ever done.
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
    let (mut attempts, mut rates) = (Vec::new(), Vec::new());
    let (mut all, mut fairness) = (Shown::default(), 1.0f64);
    for run in 0..runs {
        let seed = Rng::new(seed).fork(run).next_u64();
        let (shown, time) = one_run(scenario, contenders, timing, seed)?;
        let here = shown.iter().fold(Shown::default(), |all, one| Shown {
            rounds: all.rounds + one.rounds,
            attempts: all.attempts + one.attempts,
            most: all.most.max(one.most),
            given_up: all.given_up + one.given_up,
        });
        attempts.push(here.attempts as f64 / here.rounds as f64);
        rates.push((here.rounds - here.given_up) as f64 * SECOND as f64 / time as f64);
        let rounds = || shown.iter().map(|one| one.rounds);
        let (least, quickest) = (rounds().min().unwrap_or(0), rounds().max().unwrap_or(1));
        fairness = fairness.min(least as f64 / quickest as f64);
        all.rounds += here.rounds;
        all.most = all.most.max(here.most);
        all.given_up += here.given_up;
    }
    Ok(Contention {
        contenders,
        rounds: all.rounds,
        attempts: Mean::of(&attempts),
        most: all.most,
        given_up: counted(all.given_up, all.rounds),
        rate: Mean::of(&rates),
        fairness,
    })
}

/// What each contender has shown when the first of them is over, and when that was.
fn one_run(scenario: &Scenario, contenders: usize, timing: &Timing, seed: u64) -> Result<(Vec<Shown>, u64), String> {
    // The run ends where this is violated.
    let goes_on = Property::always("the contest goes on", "for the measurement", |view| {
        if view.clients().any(|client| client.is_over()) { Err("one is done".into()) } else { Ok(()) }
    });
    // Each run has a world of its own: what one meets is of little use to another.
    let scenario = scenario.clone().timed().jitter(seed).property(goes_on);
    let world = scenario.world()?;
    let mut engine = Engine::new(&world, Reductions::NONE);
    let mut judge = Judge::new(&mut engine, scenario.judged_by());
    let timed = Timed::new(timing.clone()).run_timed(&mut engine, &mut judge, seed);
    if let Some(error) = world.error() {
        return Err(error.to_string());
    }
    let mut state = engine.initial();
    for step in &timed.run.steps {
        engine.take(&mut state, *step);
    }
    let view = world.view(&state);
    let (Some(time), true) = (timed.run.moments.last(), view.clients().any(|client| client.is_over())) else {
        return Err(format!("{}: no contender is done within {} ns", scenario.name(), timing.limit));
    };
    let mark = |client: usize| view.client(client).mark("done").flatten();
    let read = |client| mark(client).map_or(Ok(Shown::default()), |done| Shown::read(&done.full()).ok_or(done));
    let shown: Result<Vec<Shown>, _> = (0..contenders).map(read).collect();
    let shown = shown.map_err(|done| format!("{}: a contender shows {:?}", scenario.name(), done.full()))?;
    match shown.iter().any(|one| one.rounds > 0) {
        true => Ok((shown, *time)),
        false => Err(format!("{}: a contender is over, and no round is done", scenario.name())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_have_the_interval_of_student() {
        // 2.3646 is the 97.5th percentile with seven degrees of freedom; the standard deviation of 1 to 8 is 2.4495.
        let mean = Mean::of(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        assert!((mean.value - 4.5).abs() < 1e-12 && (mean.spread() - 2.3646 * 2.4495 / 8f64.sqrt()).abs() < 1e-3);
        assert!(Mean::of(&[1.0]).spread().is_infinite());
    }

    #[test]
    fn what_is_shown_is_read() {
        let mut shown = Shown::default();
        shown.round(3, false);
        shown.round(5, true);
        assert_eq!(shown.text(), "2/8/5/1");
        assert_eq!(Shown::read(&shown.text()), Some(shown));
        assert!(["", "1/2/3", "1/2/3/x", "1/2/3/4/5"].iter().all(|bad| Shown::read(bad).is_none()));
    }
}
