//! `threads`: programs of several threads, searched over their schedules.

mod judged;
mod kept;
mod traces;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::Style;
use clap::Args;
use overtake_threads::check::{Engine, KEPT, Limits, Program, kept_limits};
use serde_json::{Value, json};

use super::args::Output;
use super::exit::{Exit, Failure, Outcome};
use super::screen::{BAD, BUG, FAINT, GOOD, STRONG, Table, field, grouped, quoted, say, seconds, styled};
use super::{CommandLine, interrupts};
pub(super) use judged::Judged;
pub(super) use kept::{HEAD, entries, traces_of, unknown_traces};
pub(super) use traces::{program_of, replay, shrink};

/// How to search schedules.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Search")]
pub(super) struct Threading {
    /// Who picks the schedules: systematic (all, those that differ in unrelated operations once), exhaustive (each of
    /// all), preemptions=N, dfs (shuttle's), pct=N, random
    #[arg(long, value_name = "ENGINE", default_value = "systematic")]
    pub engine: String,
    /// Decides everything that is drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Executions of each program; more ends a search, honestly
    #[arg(long, value_name = "N", default_value_t = kept_limits().executions, value_parser = clap::value_parser!(u64).range(1..))]
    pub executions: u64,
    /// Decisions in an execution; those that come to it are cut off, and nothing is proved any more
    #[arg(long, value_name = "N", default_value_t = kept_limits().steps)]
    pub steps: usize,
    /// Tell a finding as it was found, not made small
    #[arg(long)]
    pub as_found: bool,
}

impl Threading {
    /// The defaults.
    pub fn usual() -> Self {
        let Limits { executions, steps, .. } = kept_limits();
        Self { engine: "systematic".into(), seed: 1, executions, steps, as_found: false }
    }

    fn engine(&self) -> Outcome<Engine> {
        Engine::typed(&self.engine, self.seed).map_err(Failure::bad_input)
    }

    fn limits(&self, stop: &Arc<AtomicBool>) -> Limits {
        Limits { executions: self.executions, steps: self.steps, stop: stop.clone() }
    }

    fn typed(&self, engine: Engine) -> String {
        let usual = Self::usual();
        let mut words = vec![engine.to_type()];
        if self.executions != usual.executions {
            words.push(format!("--executions {}", self.executions));
        }
        if self.steps != usual.steps {
            words.push(format!("--steps {}", self.steps));
        }
        if self.as_found {
            words.push("--as-found".into());
        }
        words.join(" ")
    }
}

/// The program of that name: the exact one, or the only one whose name contains the text, whatever the case.
fn find<'a>(programs: &'a [Program], text: &str) -> Outcome<&'a Program> {
    let wanted = text.to_lowercase();
    if let Some(exact) = programs.iter().find(|p| p.name().to_lowercase() == wanted) {
        return Ok(exact);
    }
    let found: Vec<&Program> = programs.iter().filter(|p| p.name().to_lowercase().contains(&wanted)).collect();
    match &found[..] {
        [only] => Ok(only),
        // A report and its repair: the report is meant.
        [faulty, repaired] if faulty.repair() == Some(repaired.name()) => Ok(faulty),
        [] => Err(Failure::bad_input(format!(
            "there is no program of threads {text:?}; `threads --list` shows all of them"
        ))),
        several => {
            let names: Vec<String> = several.iter().take(8).map(|p| format!("{:?}", p.name())).collect();
            Err(Failure::bad_input(format!(
                "{} programs are called something with {text:?}: {}{}; type more of the name",
                several.len(),
                names.join(", "),
                if several.len() > 8 { " and more" } else { "" }
            )))
        }
    }
}

/// Where there is no such scenario, but a program of threads: says how to search that.
pub(super) fn meant(line: &CommandLine, name: &str, none: Failure) -> Failure {
    match find(&line.threads, name) {
        Ok(program) => Failure::bad_input(format!(
            "{:?} is a program of threads; `{} threads {}` searches it",
            program.name(),
            line.program,
            quoted(program.name())
        )),
        Err(_) => none,
    }
}

/// A program as JSON.
pub(super) fn described(program: &Program) -> Value {
    json!({
        "name": program.name(), "expected": program.expects(), "about": program.text(),
        "source": program.comes_from(), "fixed_by": program.repair(),
    })
}

/// Lists programs.
fn list(programs: &[&Program], json: bool) -> Outcome {
    if json {
        let told: Vec<Value> = programs.iter().map(|p| described(p)).collect();
        say(json!({ "threads": told, "exit": 0 }))?;
    } else {
        print_list(programs)?;
    }
    Ok(Exit::AsExpected)
}

pub(super) fn print_list(programs: &[&Program]) -> Outcome<()> {
    let row = |p: &&Program| {
        let style = if p.expected().is_some() { BUG } else { GOOD };
        vec![(Style::new(), p.name().to_owned()), (style, p.expects()), (FAINT, p.text().to_owned())]
    };
    let table =
        Table { head: vec!["program", "expected", "about"], right: &[], rows: programs.iter().map(row).collect() };
    table.lines().iter().try_for_each(say)
}

pub(super) fn threads(
    line: &CommandLine,
    names: &[String],
    only_list: bool,
    how: &Threading,
    output: &Output,
) -> Outcome {
    let mut wanted: Vec<&Program> = Vec::new();
    for name in names {
        wanted.push(find(&line.threads, name)?);
    }
    let all = names.is_empty();
    if all {
        wanted.extend(&line.threads);
    }
    if only_list {
        return list(&wanted, output.json);
    }
    let engine = how.engine()?;
    let stop = Arc::default();
    interrupts(&stop);
    let mut judged = Vec::new();
    let mut exit = Exit::AsExpected;
    for program in &wanted {
        if !all && !output.json {
            parameters(program, engine, how)?;
        }
        let one = Judged::new(program, engine, &how.limits(&stop), how.as_found, &output.out)?;
        exit = exit.worse(if all { one.expected_exit } else { one.verdict_exit });
        if !all && !output.json {
            told(line, program, &one, &how.typed(engine))?;
        }
        judged.push(one);
        if stop.load(Ordering::Relaxed) {
            exit = Exit::Interrupted;
            break;
        }
    }
    let not_run = wanted.len() - judged.len();
    if output.json {
        let programs: Vec<Value> = judged.iter().map(Judged::json).collect();
        say(json!({ "threads": programs, "not_run": not_run, "exit": exit as u8 }))?;
    } else if all {
        table(&judged)?;
        summary(&judged, not_run, exit)?;
    }
    Ok(exit)
}

/// All programs as the manifest speaks of them, for the main job; ends when the flag is raised.
pub(super) fn everything(line: &CommandLine, stop: &Arc<AtomicBool>, out: &Path) -> Outcome<Vec<Judged>> {
    let mut judged = Vec::new();
    for program in &line.threads {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        judged.push(Judged::new(program, KEPT, &Threading::usual().limits(stop), false, out)?);
    }
    Ok(judged)
}

fn parameters(program: &Program, engine: Engine, how: &Threading) -> Outcome<()> {
    say(styled(STRONG, program.name()))?;
    if !program.text().is_empty() {
        say(format!("  {}", program.text()))?;
    }
    if !program.comes_from().is_empty() {
        field("source", program.comes_from())?;
    }
    field("expected", program.expects())?;
    field("search", engine.name())?;
    field("limits", format!("{} executions of {} decisions", how.executions, how.steps))
}

fn told(line: &CommandLine, program: &Program, judged: &Judged, typed: &str) -> Outcome<()> {
    let style = match judged.verdict_exit {
        Exit::AsExpected => GOOD,
        Exit::Falsified => BUG,
        _ => BAD,
    };
    let note = judged.unexpected.as_ref().map_or("as expected", |_| "not as expected");
    field("verdict", format!("{} ({note})", styled(style, judged.verdict)))?;
    if let Some(why) = &judged.why {
        field("because", why)?;
    }
    let redundant = match judged.redundant {
        0 => String::new(),
        redundant => format!(", {} of them redundant", grouped(redundant as usize)),
    };
    let seen = format!(
        "{} executions{redundant}, {} decisions, {} at most in one, in {}",
        grouped(judged.executions as usize),
        grouped(judged.steps as usize),
        grouped(judged.longest),
        seconds(judged.time)
    );
    field("seen", seen)?;
    if let Some((trace, file)) = &judged.finding {
        story(line, trace, judged.fewest, &file.display().to_string())?;
    }
    say(format!("\n{} {} threads {} {typed}", styled(FAINT, "reproduce:"), line.program, quoted(program.name())))
}

fn story(line: &CommandLine, trace: &overtake_models::Trace, fewest: Option<usize>, file: &str) -> Outcome<()> {
    say(format!("\n{} {}", styled(BUG, "violated:"), styled(STRONG, &trace.violates)))?;
    say(format!("  {}", trace.because))?;
    if let Some(fewest) = fewest {
        let words = match fewest {
            0 => "no thread has to be preempted for it".into(),
            1 => "one preemption does it, and without one it does not happen".into(),
            n => format!("{n} preemptions do it, and with fewer it does not happen"),
        };
        say(format!("  {}", styled(FAINT, words)))?;
    }
    steps(&trace.steps)?;
    let file = quoted(file);
    say(format!("  {} {file}", styled(FAINT, "trace:  ")))?;
    say(format!("  {} {} replay {file}", styled(FAINT, "replay: "), line.program))
}

/// Steps, numbered.
fn steps(steps: &[String]) -> Outcome<()> {
    let numbered = |(at, step)| say(format!("  {} {step}", styled(FAINT, format!("{:>3}.", at + 1))));
    steps.iter().enumerate().try_for_each(numbered)
}

pub(super) fn table(judged: &[Judged]) -> Outcome<()> {
    let row = |one: &Judged| {
        let (style, note) = match (&one.unexpected, one.verdict_exit) {
            (Some(_), Exit::Held) => (Style::new(), ""),
            (Some(_), _) => (BAD, "← not as expected"),
            (None, Exit::Falsified) => (BUG, ""),
            (None, _) => (GOOD, ""),
        };
        vec![
            (Style::new(), one.name.clone()),
            (style, one.verdict.to_owned()),
            (Style::new(), grouped(one.executions as usize)),
            (Style::new(), grouped(one.steps as usize)),
            (FAINT, seconds(one.time)),
            (BAD, note.to_owned()),
        ]
    };
    let head = vec!["program of threads", "verdict", "executions", "decisions", "time", ""];
    let table = Table { head, right: &[2, 3, 4], rows: judged.iter().map(row).collect() };
    table.lines().iter().try_for_each(say)?;
    let mut unexpected = judged.iter().filter(|one| one.unexpected.is_some()).peekable();
    if unexpected.peek().is_some() {
        say(format!("\n{}", styled(BAD, "not as expected")))?;
    }
    unexpected.try_for_each(|one| say(format!("{}: {}", one.name, one.unexpected.as_deref().unwrap_or_default())))
}

/// The line under the table.
pub(super) fn summary(judged: &[Judged], not_run: usize, exit: Exit) -> Outcome<()> {
    let count = |word| judged.iter().filter(|one| one.verdict == word).count();
    let mut counts = vec![format!("{} proved", count("proved")), format!("{} falsified", count("falsified"))];
    let others = judged.len() - count("proved") - count("falsified");
    for (number, what) in [(others, "undecided"), (not_run, "not run")] {
        if number > 0 {
            counts.push(format!("{number} {what}"));
        }
    }
    let unexpected = judged.iter().filter(|one| one.unexpected.is_some()).count();
    let end = match exit {
        Exit::Interrupted => styled(BAD, "interrupted"),
        _ if unexpected == 0 => styled(GOOD, "all as expected"),
        _ => styled(BAD, format!("{unexpected} not as expected")),
    };
    let executions = judged.iter().map(|one| one.executions as usize).sum();
    let time = judged.iter().map(|one| one.time).sum();
    say(format!(
        "\n{} programs of threads: {}; {end}; {} executions in {}",
        judged.len() + not_run,
        counts.join(", "),
        grouped(executions),
        seconds(time)
    ))
}
