//! The chapter of the report: attempts, those that are used up, and locks as a bottleneck.

use std::fmt::Write as _;
use std::time::Duration;

use overtake_data_recipes::optimistic::{a_hundred_attempts, attempts, until_it_is_in};
use overtake_models::odds::picture;
use overtake_models::odds::starvation::{Contention, Mean, contention};
use overtake_models::plots::Line;
use overtake_models::throughput::{Chapter, Effort, SEED};
use overtake_models::timed::Timing;
use overtake_recipes::client::RetryPolicy;
use overtake_sim::clock::duration::MILLISECOND;

use super::{Contest, Way, slow_among_quick};

const MEDIUM: &str = "5ms";
const REST: Duration = Duration::from_millis(100);
const PAUSE: Duration = Duration::from_millis(5);
/// From that ratio on a lock is called the bottleneck: so many times the changes are made without it.
const BOTTLENECK: f64 = 1.5;

/// Times with that median of think times.
fn timing(think: &str) -> Timing {
    let mut timing = Timing { drift: 0, ..Timing::default() }.healthy();
    let think = format!("lognormal:{think},0.5");
    for (name, value) in
        [("latency", "lognormal:1ms,0.5"), ("work", &think), ("service", "exp:200us"), ("most-steps", "1000000")]
    {
        timing.set(name, value).expect("a parameter");
    }
    timing
}

fn sizes(effort: Effort) -> &'static [usize] {
    if effort == Effort::Quick { &[1, 2, 4] } else { &[1, 2, 4, 8] }
}

/// Runs, and changes of each contender.
fn sample(effort: Effort) -> (u64, u32) {
    if effort == Effort::Quick { (3, 5) } else { (8, 6) }
}

fn measure(way: Way, think: &str, rest: Duration, effort: Effort) -> Result<Vec<Contention>, String> {
    let (runs, rounds) = sample(effort);
    let contest = Contest { way, rounds, rest };
    contention(|n| contest.of(n), sizes(effort), &timing(think), runs, SEED)
}

fn told(mean: &Mean, digits: usize) -> String {
    format!("{:.digits$} ± {:.digits$}", mean.value, mean.spread())
}

/// The chapter, with links to pictures in the folder. The same bytes for the same effort, on every machine.
///
/// # Errors
/// A sentence, when a program breaks the rules.
pub fn chapter(folder: &str, effort: Effort) -> Result<Chapter, String> {
    let mut chapter = Chapter { markdown: String::new(), pictures: Vec::new() };
    let (runs, rounds) = sample(effort);
    let _ = writeln!(
        chapter.markdown,
        "## What contention costs\n\n\
         Contenders change a document again and again in virtual time, by the recipes that come with Overtake, until the first of them has made \
         {rounds} changes. Latencies are log-normal (median 1ms), a store's work exponential (mean 200us), think times log-normal. \
         Means are over {runs} runs, with 95 % intervals."
    );
    optimistic(&mut chapter, folder, effort)?;
    gives_up(&mut chapter, folder, effort)?;
    under_locks(&mut chapter, folder, effort)?;
    Ok(chapter)
}

fn optimistic(chapter: &mut Chapter, folder: &str, effort: Effort) -> Result<(), String> {
    let pause = RetryPolicy::Forever { pause: PAUSE };
    let jitter = RetryPolicy::bounded(PAUSE, 64 * PAUSE, 29);
    let forever = || Way::Optimistic(until_it_is_in());
    let kinds = [
        ("no pause, thinks 500us", forever(), "500us"),
        ("no pause, thinks 5ms", forever(), MEDIUM),
        ("no pause, thinks 50ms", forever(), "50ms"),
        ("pause of 5ms, thinks 5ms", Way::Optimistic(pause), MEDIUM),
        ("pause that grows, with jitter, thinks 5ms", Way::Optimistic(jitter), MEDIUM),
        ("atomic update, thinks 5ms", Way::Atomic, MEDIUM),
    ];
    chapter.markdown += "\n### Contention: attempts of optimistic locking\n\n\
        Between two changes a contender rests for up to 100ms. One that finds another version reads, thinks and writes again: \
        at once, after a pause of 5ms, or after a pause of 5ms that grows and is drawn, 320ms at most (`ExponentialBackoffRetry`). An \
        atomic update needs no version.\n\n\
        | | contenders | attempts a change | most for one change | changes a second | the slowest did, of the quickest |\n\
        | --- | ---: | ---: | ---: | ---: | ---: |\n";
    let mut lines = Vec::new();
    for (name, way, think) in kinds {
        let measured = measure(way, think, REST, effort)?;
        for Contention { contenders, attempts, most, rate, fairness, .. } in &measured {
            let _ = writeln!(
                chapter.markdown,
                "| {name} | {contenders} | {} | {most} | {} | {:.0} % |",
                told(attempts, 2),
                told(rate, 1),
                100.0 * fairness
            );
        }
        let points = measured.iter().map(|m| (m.contenders as f64, m.attempts.value)).collect();
        lines.push(Line { name: name.into(), points, dotted: false });
    }
    chapter.markdown.push('\n');
    let titles = ["Attempts of optimistic locking", "contenders", "attempts for one change"];
    picture(chapter, folder, "odds-attempts", titles, lines);
    Ok(())
}

/// How often all attempts are used up: name, contenders, and what was measured.
///
/// # Errors
/// A sentence, when a program breaks the rules.
pub fn used_up(effort: Effort) -> Result<Vec<(&'static str, Vec<Contention>)>, String> {
    let everybody = |policy| measure(Way::Optimistic(policy), MEDIUM, Duration::ZERO, effort);
    let (runs, rounds) = if effort == Effort::Quick { (3, 1) } else { (8, 1) };
    let sizes: Vec<usize> = sizes(effort).iter().copied().filter(|n| *n > 1).collect();
    let slow = |thinks: u64| {
        let family =
            move |n: usize| slow_among_quick(&a_hundred_attempts(), Duration::from_millis(thinks), rounds, n - 1);
        contention(family, &sizes, &timing(MEDIUM), runs, SEED)
    };
    Ok(vec![
        ("3 attempts, all alike", everybody(attempts(3))?),
        ("10 attempts, all alike", everybody(attempts(10))?),
        ("100 attempts, all alike", everybody(a_hundred_attempts())?),
        ("100 attempts, of one that thinks 10ms", slow(10)?),
        ("100 attempts, of one that thinks 20ms", slow(20)?),
    ])
}

/// What the points say: for each kind with the most contenders, what share is given up.
fn sentences(measured: &[(&str, Vec<Contention>)]) -> String {
    let sentence = |(name, measured): &(&str, Vec<Contention>)| {
        let last = measured.last()?;
        let share = match last.given_up.hits {
            0 => "none is given up".into(),
            hits if hits == last.given_up.runs => "all are given up: it starves".into(),
            _ => format!("{:.0} % are given up", 100.0 * last.given_up.value),
        };
        Some(format!("{name}, with {} contenders: of {} changes {share}.", last.contenders, last.rounds))
    };
    measured.iter().filter_map(sentence).collect::<Vec<_>>().join(" ")
}

fn gives_up(chapter: &mut Chapter, folder: &str, effort: Effort) -> Result<(), String> {
    let measured = used_up(effort)?;
    let _ = writeln!(
        chapter.markdown,
        "\n### Contention: attempts used up\n\n\
        The same without rests, with think times of 5ms, and with a number of attempts after which the helper gives up: 100 on the \
        slide. {}\n\n\
        | | contenders | changes tried | attempts a change | most for one change | given up |\n\
        | --- | ---: | ---: | ---: | ---: | ---: |",
        sentences(&measured)
    );
    for (name, measured) in &measured {
        for Contention { contenders, rounds, attempts, most, given_up, .. } in measured {
            let _ = writeln!(
                chapter.markdown,
                "| {name} | {contenders} | {rounds} | {} | {most} | {:.1} % ({:.1} % to {:.1} %) |",
                told(attempts, 2),
                100.0 * given_up.value,
                100.0 * given_up.low,
                100.0 * given_up.high
            );
        }
    }
    chapter.markdown.push('\n');
    let line = |(name, measured): &(&str, Vec<Contention>)| Line {
        name: (*name).into(),
        points: measured.iter().map(|m| (m.contenders as f64, m.given_up.value)).collect(),
        dotted: false,
    };
    let titles = ["Changes given up, all attempts used up", "contenders", "share of the changes"];
    picture(chapter, folder, "odds-used-up", titles, measured.iter().map(line).collect());
    Ok(())
}

/// One lock for all beside a lock for each, with one think time.
#[derive(Clone, Debug, PartialEq)]
pub struct Locks {
    /// Median think time under the lock.
    pub think: &'static str,
    /// One lock for all.
    pub one: Vec<Contention>,
    /// A lock for each.
    pub own: Vec<Contention>,
}

/// What the points say of a lock for all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bottleneck {
    /// The number of contenders from which on it is the bottleneck, if it is.
    pub from: Option<usize>,
    /// The most contenders that were looked at.
    pub most: usize,
    /// How many times the changes are made there with a lock for each.
    pub ratio: f64,
}

impl Locks {
    /// How many times the changes are made with a lock for each, by contenders.
    pub fn ratios(&self) -> Vec<(usize, f64)> {
        let both = self.one.iter().zip(&self.own);
        both.map(|(one, own)| (one.contenders, own.rate.value / one.rate.value)).collect()
    }

    /// Whether the lock is the bottleneck: at that number of contenders, and any larger one, so many times the changes are made without.
    pub fn bottleneck(&self) -> Bottleneck {
        let ratios = self.ratios();
        let clear = ratios.iter().rev().take_while(|(_, ratio)| *ratio >= BOTTLENECK).last();
        let (most, ratio) = ratios.last().copied().unwrap_or((0, 1.0));
        Bottleneck { from: clear.map(|(contenders, _)| *contenders), most, ratio }
    }

    /// The same as a sentence.
    pub fn sentence(&self) -> String {
        let Bottleneck { from, most, ratio } = self.bottleneck();
        let think = self.think;
        match from {
            Some(from) => format!(
                "Where they think for {think} under it, the one lock is the bottleneck from {from} contenders on: with {most}, a lock for \
                 each makes {ratio:.1} times the changes."
            ),
            None => format!(
                "Where they think for {think} under it, the one lock is no bottleneck: with {most} contenders a lock for each makes \
                 {ratio:.1} times the changes."
            ),
        }
    }
}

/// Contenders that change documents of their own under one lock for all, and under a lock for each.
///
/// # Errors
/// A sentence, when a program breaks the rules.
pub fn locks(effort: Effort) -> Result<Vec<Locks>, String> {
    let under = |think| {
        let (one, own) = (measure(Way::OneLock, think, REST, effort)?, measure(Way::OwnLock, think, REST, effort)?);
        Ok(Locks { think, one, own })
    };
    ["500us", MEDIUM, "50ms"].into_iter().map(under).collect()
}

fn under_locks(chapter: &mut Chapter, folder: &str, effort: Effort) -> Result<(), String> {
    let all = locks(effort)?;
    let pause = overtake_data_recipes::lease::PAUSE.as_nanos() as u64 / MILLISECOND;
    let _ = writeln!(
        chapter.markdown,
        "\n### Contention: a lock as the bottleneck\n\n\
         Each contender changes a document of its own: takes a lease, reads, thinks, writes, gives the lease back, and rests for up \
         to 100ms. A lease that is not granted is asked for again after {pause}ms. {} (The bottleneck is what makes {BOTTLENECK} times \
         the changes when it is taken away.)\n\n\
         | thinks | contenders | one lock for all: changes a second | a lock for each: changes a second | times |\n\
         | --- | ---: | ---: | ---: | ---: |",
        all.iter().map(Locks::sentence).collect::<Vec<_>>().join(" ")
    );
    let mut lines = Vec::new();
    for locks in &all {
        for ((one, own), (contenders, ratio)) in locks.one.iter().zip(&locks.own).zip(locks.ratios()) {
            let _ = writeln!(
                chapter.markdown,
                "| {} | {contenders} | {} | {} | {ratio:.2} |",
                locks.think,
                told(&one.rate, 1),
                told(&own.rate, 1)
            );
        }
        for (name, measured) in [("one lock for all", &locks.one), ("a lock for each", &locks.own)] {
            let points = measured.iter().map(|m| (m.contenders as f64, m.rate.value)).collect();
            lines.push(Line { name: format!("{name}, thinks {}", locks.think), points, dotted: false });
        }
    }
    chapter.markdown.push('\n');
    let titles = ["Changes a second under locks, of all together", "contenders", "changes a second"];
    picture(chapter, folder, "odds-throughput", titles, lines);
    Ok(())
}
