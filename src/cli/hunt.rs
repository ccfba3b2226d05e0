//! `hunt`: sampled runs of some scenarios, until they are enough.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use overtake_models::Scenario;
use overtake_models::hunt::{
    Finding, Flat, Hunted, Plan, Search, Shard, Stop, Tally, Trouble, hunt as hunt_now, rule_of_three,
};
use overtake_models::sample::Sampler;
use overtake_models::search::Limits;
use overtake_models::timed::roomy;
use serde_json::{Value, json};

use super::args::{Bounds, size, time, time_text};
use super::exit::{Exit, Failure, Outcome};
use super::names::{bounded, typed_bounds};
use super::progress::Watcher;
use super::screen::{BAD, BUG, FAINT, STRONG, field, grouped, quoted, say, styled};
use super::shrink::stages;
use super::{CommandLine, interrupts};
use crate::guard::guarded;
use crate::traces::slug;

/// Where hunts are kept, unless told otherwise.
const OUT: &str = "hunts";
/// When nothing says when to stop.
const DEFAULT_FLAT: Flat = Flat::Runs(20_000);
/// What flat means when there are too many states to keep.
const SAMPLED: &str = " (2^L times that, while one state of 2^L is kept: beyond a million)";
const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// How to hunt, and until when.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Hunt")]
pub(in crate::cli) struct Hunting {
    /// Who picks the steps
    #[arg(long, value_enum, default_value_t = Picker::Random)]
    pub search: Picker,
    /// Seed of the hunt; the seed of each run follows from it and the run's number
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Number of runs, all shards together
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=overtake_models::hunt::MOST_RUNS))]
    pub runs: Option<u64>,
    /// Time for each scenario
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub time: Option<Duration>,
    /// Until so many runs (20000), or such a share of all runs (50%), met no new state
    #[arg(long, value_name = "N", value_parser = flat, conflicts_with = "shard")]
    pub flat: Option<Flat>,
    /// Number of the first run
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=overtake_models::hunt::MOST_RUNS))]
    pub from: u64,
    /// Only the runs of one of N shards
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub shard: Option<Shard>,
    /// Most steps of a run
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub steps: u32,
    /// Depth of the bugs that pct is to find: how many orders of two steps must be right
    #[arg(long, value_name = "D", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=20))]
    pub depth: u8,
    /// Threads; they do not change what is found [default: as many as cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Memory for the worlds of all threads
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = size)]
    pub memory: usize,
    /// Findings stay as they were found
    #[arg(long)]
    pub no_shrink: bool,
    /// Folder for the record and the findings; a hunt that was killed goes on there [default: hunts]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Picker {
    /// Any enabled step may come next, faults rarer
    Random,
    /// Probabilistic concurrency testing: priorities that change at few steps
    Pct,
    /// Virtual time: latencies, pauses, drifting clocks and time-outs decide; faults as many as they bring, unless bounds say less
    Timed,
}

fn flat(text: &str) -> Result<Flat, String> {
    let bad = || format!("{text:?} is neither a number of runs such as 20000 nor a share of them such as 50%");
    match text.strip_suffix('%') {
        Some(share) => match share.trim().parse::<f64>() {
            Ok(share) if (1.0..100.0).contains(&share) => Ok(Flat::Share(share / 100.0)),
            _ => Err(bad()),
        },
        None => text.parse().ok().filter(|runs| *runs > 0).map(Flat::Runs).ok_or_else(bad),
    }
}

fn flat_text(flat: Flat) -> String {
    match flat {
        Flat::Runs(runs) => runs.to_string(),
        Flat::Share(share) => format!("{}%", share * 100.0),
    }
}

fn shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
    match numbers {
        Some((index, of)) if (1..=of).contains(&index) => Ok(Shard { index, of }),
        _ => Err(format!("{text:?} is not a shard: I/N with I from 1 to N, such as 2/8")),
    }
}

impl Hunting {
    /// When to stop: what was asked for, or the defaults.
    fn limits(&self) -> (Option<Duration>, Option<Flat>) {
        match (self.runs, self.time, self.flat) {
            (None, None, None) if self.shard.is_some() => (Some(DEFAULT_TIME), None),
            (None, None, None) => (Some(DEFAULT_TIME), Some(DEFAULT_FLAT)),
            _ => (self.time, self.flat),
        }
    }

    fn picker(&self) -> Search {
        match self.search {
            Picker::Random => Search::Random,
            Picker::Pct => Search::Pct(self.depth.into()),
            Picker::Timed => Search::Timed,
        }
    }

    /// What decides a run, as it is typed.
    fn typed(&self) -> Vec<String> {
        let mut typed = Vec::new();
        match self.search {
            Picker::Random => typed.push(format!("--steps {}", self.steps)),
            Picker::Pct => typed.push(format!("--search pct --depth {} --steps {}", self.depth, self.steps)),
            Picker::Timed => typed.push("--search timed".into()),
        }
        typed.push(format!("--seed {}", self.seed));
        typed
    }

    /// What decides which runs are done, as it is typed.
    fn typed_limits(&self) -> Vec<String> {
        let (time, flat) = self.limits();
        let mut typed = Vec::new();
        if self.from > 0 {
            typed.push(format!("--from {}", self.from));
        }
        typed.extend(self.runs.map(|runs| format!("--runs {runs}")));
        typed.extend(time.map(|time| format!("--time {}", time_text(time))));
        typed.extend(flat.map(|flat| format!("--flat {}", flat_text(flat))));
        typed.extend(self.shard.map(|shard| format!("--shard {}/{}", shard.index, shard.of)));
        typed.extend(self.out.as_ref().map(|out| format!("--out {}", quoted(&out.display().to_string()))));
        typed
    }

    fn folder(&self, scenario: &Scenario) -> PathBuf {
        let out = self.out.clone().unwrap_or_else(|| match self.shard {
            None => OUT.into(),
            Some(shard) => PathBuf::from(OUT).join(format!("shard-{}-of-{}", shard.index, shard.of)),
        });
        out.join(slug(scenario.name()))
    }
}

pub(super) fn failure(trouble: &Trouble) -> Failure {
    let exit = match trouble {
        Trouble::File(_) => Exit::CannotWrite,
        Trouble::Mismatch(_) => Exit::BadInput,
        Trouble::Broken(_) => Exit::Broken,
    };
    Failure::new(exit, trouble.sentence())
}

pub(super) fn hunt(line: &CommandLine, names: &[String], bounds: &Bounds, hunting: &Hunting) -> Outcome {
    let mut wanted = Vec::new();
    for name in names {
        let scenario = bounded(line.scenario(name)?, bounds)?;
        wanted.push(match hunting.search {
            Picker::Timed if bounds.faults().iter().any(Option::is_some) => scenario.timed(),
            Picker::Timed => roomy(&scenario),
            Picker::Random | Picker::Pct => scenario,
        });
    }
    let stop = Arc::default();
    interrupts(&stop);
    let mut exit = None;
    let mut told = Vec::new();
    for (at, scenario) in wanted.iter().enumerate() {
        if !hunting.json && at > 0 {
            say("")?;
        }
        let named = |why: String| Failure::bad_input(format!("{}: {why}", scenario.name()));
        let sampler: Box<dyn Sampler> = guarded(|| {
            let world = scenario.world()?;
            Ok(hunting.picker().sampler(&world, hunting.seed, hunting.steps as usize))
        })
        .map_err(named)?;
        let (time, flat) = hunting.limits();
        let command = [vec![line.program.clone(), "hunt".into(), quoted(scenario.name())], typed_bounds(scenario)];
        let command = [command.concat(), hunting.typed()].concat().join(" ");
        let reproduce = [vec![command.clone()], hunting.typed_limits()].concat().join(" ");
        let threads = hunting.threads.map_or_else(|| Limits::default().threads, usize::from);
        let small = Limits { threads: 1, memory: 256 << 20, stop: Arc::clone(&stop), ..Limits::default() };
        let plan = Plan {
            scenario,
            repair: line.scenarios.iter().find(|s| scenario.repair() == Some(s.name())),
            sampler: sampler.as_ref(),
            seed: hunting.seed,
            from: hunting.from,
            runs: hunting.runs,
            time,
            flat,
            shard: hunting.shard.unwrap_or(Shard::WHOLE),
            threads,
            memory: hunting.memory,
            folder: hunting.folder(scenario),
            command,
            stop: Arc::clone(&stop),
            progress: Arc::default(),
            shrink: (!hunting.no_shrink).then_some(small),
        };
        if !hunting.json {
            parameters(&plan)?;
        }
        let hunted = {
            let watcher = Watcher::new(1);
            watcher.started(0, scenario.name(), &plan.progress);
            guarded(|| Ok(hunt_now(&plan))).map_err(named)?.map_err(|trouble| failure(&trouble))?
        };
        let ended = ending(&hunted);
        exit = Some(exit.map_or(ended, |exit: Exit| exit.worse(ended)));
        if hunting.json {
            told.push(as_json(&plan, &hunted, &reproduce));
        } else {
            outcome(line, &hunted)?;
            say(format!("\n{} {reproduce}", styled(FAINT, "reproduce:")))?;
        }
        if hunted.stop == Stop::Interrupted {
            exit = exit.map(|exit| if at + 1 < wanted.len() { exit.worse(Exit::Interrupted) } else { exit });
            break;
        }
    }
    let exit = exit.unwrap_or(Exit::Held);
    if hunting.json {
        say(json!({"hunts": told, "not_run": wanted.len() - told.len(), "exit": exit as u8}))?;
    }
    Ok(exit)
}

/// A hunt that found nothing is never as good as a proof.
fn ending(hunted: &Hunted) -> Exit {
    match hunted.stop {
        _ if !hunted.findings.is_empty() => Exit::Falsified,
        Stop::Interrupted => Exit::Interrupted,
        _ => Exit::Held,
    }
}

fn parameters(plan: &Plan<'_>) -> Outcome<()> {
    say(styled(STRONG, plan.scenario.name()))?;
    field("bounds", plan.scenario.bounds())?;
    let names: Vec<&str> = plan.scenario.judged_by().iter().map(|p| p.name).collect();
    field("properties", names.join(", "))?;
    field("search", format!("{}, seed {}, from run {}", plan.sampler.name(), plan.seed, plan.from))?;
    for (name, value) in plan.sampler.parameters() {
        field("", format!("{name}: {value}"))?;
    }
    let mut until = Vec::new();
    until.extend(plan.runs.map(|runs| format!("{} runs are done", grouped(runs as usize))));
    until.extend(plan.time.map(|time| format!("{} are over", time_text(time))));
    until.extend(plan.flat.map(|flat| match flat {
        Flat::Runs(runs) => format!("{} runs met no new state{SAMPLED}", grouped(runs as usize)),
        Flat::Share(share) => format!("the last {:.0} % of runs met no new state{SAMPLED}", share * 100.0),
    }));
    field("until", until.join(", or "))?;
    if plan.shard != Shard::WHOLE {
        field("shard", format!("{} of {}", plan.shard.index, plan.shard.of))?;
    }
    field("threads", plan.threads)?;
    field("record", plan.folder.display())
}

/// What the runs add up to; `merge` prints it too.
pub(super) fn statistics(tally: &Tally, found: bool) -> Outcome<()> {
    let runs = tally.runs.max(1) as f64;
    field("runs", grouped(tally.runs as usize))?;
    field(
        "steps",
        format!("{}, {} in the longest run", grouped(tally.steps as usize), grouped(tally.longest as usize)),
    )?;
    field(
        "ended",
        format!(
            "{:.1} % at rest, {:.1} % at the limit of steps, {:.1} % where a program needed more than a world can name",
            tally.at_rest as f64 / runs * 100.0,
            tally.limited as f64 / runs * 100.0,
            tally.outgrown as f64 / runs * 100.0
        ),
    )?;
    let how = if tally.states.is_exact() { "distinct" } else { "distinct, estimated from a fair sample of them" };
    field("states", format!("{} {how}", grouped(tally.states.count() as usize)))?;
    for (name, violated) in &tally.violated {
        let share = violated.runs as f64 / runs * 100.0;
        let runs = grouped(violated.runs as usize);
        field(
            "violated",
            format!("{}: {runs} runs ({share:.2} %), first in run {}", styled(BUG, name), violated.first),
        )?;
    }
    match at_most(tally, found) {
        Some(share) => field(
            "violated",
            format!(
                "by no run; with 95 % confidence at most {share:.1e} of all runs violate anything (rule of three), which is no proof"
            ),
        ),
        None if tally.violated.is_empty() => {
            field("violated", "by runs of blocks that were not finished, which are not counted here")
        }
        None => Ok(()),
    }
}

/// The rule of three, where nothing was found, in blocks that are counted or in others.
fn at_most(tally: &Tally, found: bool) -> Option<f64> {
    (tally.violated.is_empty() && !found).then(|| rule_of_three(tally.runs))
}

fn outcome(line: &CommandLine, hunted: &Hunted) -> Outcome<()> {
    if hunted.resumed > 0 {
        field("resumed", format!("after {} runs", grouped(hunted.resumed as usize)))?;
    }
    statistics(&hunted.tally, !hunted.findings.is_empty())?;
    if !hunted.unreached.is_empty() {
        field("never", styled(BAD, format!("it did not happen that {}", hunted.unreached.join(", or that "))))?;
    }
    let why = match hunted.stop {
        Stop::Runs => "all runs are done",
        Stop::Time => "the time is up",
        Stop::Flat => "coverage has gone flat",
        Stop::Interrupted => "interrupted; the same command goes on from here",
    };
    field("stopped", why)?;
    hunted.findings.values().try_for_each(|finding| told(line, finding))
}

fn told(line: &CommandLine, finding: &Finding) -> Outcome<()> {
    say(format!("\n{} {}", styled(BUG, "violated:"), styled(STRONG, &finding.property)))?;
    let small = finding.shrunk.as_ref();
    say(format!("  {}", small.map_or(&finding.found.because, |(trace, ..)| &trace.because)))?;
    field("found", format!("{} steps, {}", finding.found.all_steps().len(), finding.file.display()))?;
    if let Some(note) = &finding.note {
        field("shrunk", format!("no: {note}"))?;
    }
    let mut file = &finding.file;
    if let Some((trace, path, done)) = small {
        field("shrunk", format!("{} steps, {}", trace.all_steps().len(), path.display()))?;
        stages(done)?;
        file = path;
    }
    field("replay", format!("{} replay {}", line.program, quoted(&file.display().to_string())))
}

fn as_json(plan: &Plan<'_>, hunted: &Hunted, reproduce: &str) -> Value {
    let tally = &hunted.tally;
    let findings = hunted.findings.values().map(|finding| {
        json!({
            "property": finding.property,
            "run": finding.run,
            "runs": tally.violated.get(&finding.property).map_or(0, |v| v.runs),
            "because": finding.found.because,
            "steps": finding.found.all_steps().len(),
            "file": finding.file.display().to_string(),
            "shrunk": finding.shrunk.as_ref().map(|(trace, path, _)| json!({
                "steps": trace.all_steps().len(),
                "file": path.display().to_string(),
            })),
        })
    });
    json!({
        "name": plan.scenario.name(),
        "bounds": plan.scenario.bounds(),
        "search": plan.sampler.name(),
        "parameters": plan.sampler.parameters().into_iter().map(|(k, v)| (k, v.into())).collect::<serde_json::Map<_, _>>(),
        "seed": plan.seed,
        "runs": tally.runs,
        "steps": tally.steps,
        "longest": tally.longest,
        "at_rest": tally.at_rest,
        "limited": tally.limited,
        "outgrown": tally.outgrown,
        "states": tally.states.count(),
        "states_exact": tally.states.is_exact(),
        "at_most": at_most(tally, !hunted.findings.is_empty()),
        "unreached": hunted.unreached,
        "stopped": format!("{:?}", hunted.stop).to_lowercase(),
        "findings": findings.collect::<Vec<_>>(),
        "reproduce": reproduce,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_rule_of_three_beside_a_finding() {
        let tally = Tally { runs: 300, ..Tally::default() };
        assert_eq!(at_most(&tally, false), Some(0.01));
        assert_eq!(at_most(&tally, true), None);
    }

    #[test]
    fn shards_and_flatness_are_read() {
        assert_eq!(shard("2/8"), Ok(Shard { index: 2, of: 8 }));
        for bad in ["0/3", "4/3", "1", "a/b", "1/0", "-1/2"] {
            assert!(shard(bad).is_err(), "{bad}");
        }
        assert_eq!(flat("20000"), Ok(Flat::Runs(20_000)));
        assert_eq!(flat("50%"), Ok(Flat::Share(0.5)));
        for bad in ["0", "0%", "100%", "nan%", "many"] {
            assert!(flat(bad).is_err(), "{bad}");
        }
        assert_eq!(flat_text(Flat::Share(0.5)), "50%");
    }
}
