//! The main job: every scenario, a table, a line for each finding.

use std::sync::atomic::Ordering;
use std::time::Instant;

use anstyle::Style;
use overtake_models::manifest::Manifest;
use overtake_models::{Checked, Scenario};
use serde_json::json;

use super::args::Everything;
use super::exit::{Exit, Failure, Outcome};
use super::judged::Judged;
use super::progress::Watcher;
use super::screen::{BAD, BUG, FAINT, GOOD, STRONG, Table, grouped, say, seconds, styled};
use super::{CommandLine, interrupts, threads};
use crate::runs::check_all;

/// Runs the scenarios with progress; `each` gets every outcome as soon as it is there.
pub(super) fn run(
    scenarios: &[Scenario],
    options: &overtake_models::Options,
    sizes: &Manifest,
    mut each: impl FnMut(usize, Result<Checked, String>),
) {
    let watcher = Watcher::new(scenarios.len());
    let started = |place: usize, progress: &_| {
        watcher.started(place, scenarios[place].name(), progress);
    };
    check_all(scenarios, options, sizes, &started, |place, outcome| {
        watcher.done(place);
        each(place, outcome);
    });
}

pub(super) fn everything(line: &CommandLine, args: &Everything) -> Outcome {
    let begin = Instant::now();
    let options = args.search.options();
    interrupts(&options.limits.stop);
    let mut judged: Vec<Option<Judged>> = line.scenarios.iter().map(|_| None).collect();
    let mut failure: Option<Failure> = None;
    let interrupted = || options.limits.stop.load(Ordering::Relaxed);
    run(&line.scenarios, &options, &line.sizes(), |place, outcome| {
        let scenario = &line.scenarios[place];
        let outcome = match outcome {
            Ok(checked) => Judged::new(scenario, &checked, interrupted(), &args.output.out),
            Err(why) => Ok(Judged::impossible(scenario, why)),
        };
        match outcome {
            Ok(outcome) => judged[place] = Some(outcome),
            Err(error) => {
                failure.get_or_insert(error);
                options.limits.stop.store(true, Ordering::Relaxed);
            }
        }
    });
    let mut of_threads = Vec::new();
    if failure.is_none() {
        match threads::everything(line, &options.limits.stop, &args.output.out) {
            Ok(judged) => of_threads = judged,
            Err(error) => failure = Some(error),
        }
    }
    let exits = judged.iter().flatten().map(|j| j.expected_exit).chain(of_threads.iter().map(|j| j.expected_exit));
    let mut exit = exits.fold(Exit::AsExpected, Exit::worse);
    if failure.is_none() && interrupted() {
        exit = Exit::Interrupted;
    }
    if args.output.json {
        let scenarios: Vec<_> = judged.iter().flatten().map(Judged::json).collect();
        say(json!({
            "scenarios": scenarios,
            "threads": of_threads.iter().map(threads::Judged::json).collect::<Vec<_>>(),
            "not_run": judged.iter().filter(|j| j.is_none()).count() + line.threads.len() - of_threads.len(),
            "seconds": begin.elapsed().as_secs_f64(),
            "as_expected": exit == Exit::AsExpected,
            "exit": exit as u8,
        }))?;
    } else {
        print(&line.scenarios, &judged)?;
        if !line.threads.is_empty() {
            say("")?;
            threads::table(&of_threads)?;
            threads::summary(&of_threads, line.threads.len() - of_threads.len(), exit)?;
        }
        summary(line, &judged, begin.elapsed(), exit)?;
    }
    failure.map_or(Ok(exit), Err)
}

fn print(scenarios: &[Scenario], judged: &[Option<Judged>]) -> Outcome<()> {
    let mut table =
        Table { head: vec!["scenario", "bounds", "verdict", "states", "time", ""], right: &[3, 4], rows: Vec::new() };
    let plain = Style::new();
    for (scenario, judged) in scenarios.iter().zip(judged) {
        let Some(judged) = judged else {
            let cells = [scenario.name(), &scenario.bounds(), "not run", "", "", ""];
            table.rows.push(cells.map(|c| (FAINT, c.to_owned())).into());
            continue;
        };
        let (style, note) = match &judged.unexpected {
            Some(_) => (BAD, "← not as expected"),
            None if judged.findings.is_empty() => (GOOD, ""),
            None => (BUG, ""),
        };
        table.rows.push(vec![
            (plain, judged.name.clone()),
            (FAINT, judged.bounds.clone()),
            (style, judged.verdict.to_owned()),
            (plain, grouped(judged.states)),
            (FAINT, seconds(judged.time)),
            (BAD, note.to_owned()),
        ]);
    }
    table.lines().iter().try_for_each(say)?;
    let found = || judged.iter().flatten().filter(|j| !j.findings.is_empty());
    if found().next().is_some() {
        say(format!("\n{}", styled(STRONG, "findings")))?;
    }
    for judged in found() {
        for finding in &judged.findings {
            say(format!(
                "{}: {} {}",
                judged.name,
                styled(BUG, finding.property),
                styled(FAINT, format!("({} steps) {}", finding.steps.len(), finding.file.display()))
            ))?;
        }
    }
    let mut unexpected = judged.iter().flatten().filter(|j| j.unexpected.is_some()).peekable();
    if unexpected.peek().is_some() {
        say(format!("\n{}", styled(BAD, "not as expected")))?;
    }
    unexpected.try_for_each(|j| say(format!("{}: {}", j.name, j.unexpected.as_deref().unwrap_or_default())))
}

fn summary(line: &CommandLine, judged: &[Option<Judged>], time: std::time::Duration, exit: Exit) -> Outcome<()> {
    let run = judged.iter().flatten();
    let count = |word| run.clone().filter(|j| j.verdict == word).count();
    let mut counts = vec![format!("{} proved", count("proved")), format!("{} falsified", count("falsified"))];
    let other = run.clone().count() - count("proved") - count("falsified");
    let not_run = judged.iter().filter(|j| j.is_none()).count();
    for (number, what) in [(other, "undecided"), (not_run, "not run")] {
        if number > 0 {
            counts.push(format!("{number} {what}"));
        }
    }
    let unexpected = run.clone().filter(|j| j.unexpected.is_some()).count();
    let end = match exit {
        Exit::AsExpected => styled(GOOD, "all as expected"),
        Exit::Interrupted => styled(BAD, "interrupted"),
        _ => styled(BAD, format!("{unexpected} not as expected")),
    };
    say(format!(
        "\n{} {}: {}; {end}; {} states in {}",
        judged.len(),
        if judged.len() == 1 { "scenario" } else { "scenarios" },
        counts.join(", "),
        grouped(run.clone().map(|j| j.states).sum()),
        seconds(time)
    ))?;
    let Some(first) = run.clone().find(|j| j.findings.first().is_some_and(|f| !f.steps.is_empty())) else {
        return Ok(());
    };
    say(styled(
        FAINT,
        format!(
            "the story of a finding: {0} replay {1}; walk through it: {0} explore {1}",
            line.program,
            first.findings[0].file.display()
        ),
    ))
}
