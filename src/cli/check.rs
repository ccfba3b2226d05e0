//! `check`: some scenarios, told at length.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use overtake_models::manifest::{check_for_expected, expected_text};
use overtake_models::replay::Taken;
use overtake_models::story::{opening, sentences, standing};
use overtake_models::{Checked, Expected, Finding, Options, Order, Scenario, Verdict, check as check_now};
use overtake_sim::world::World;
use serde_json::{Value, json};

use super::args::{Bounds, Output, Search, size_text, time_text};
use super::exit::{Exit, Failure, Outcome};
use super::judged::{Judged, Written};
use super::names::{bounded, typed_bounds};
use super::progress::Watcher;
use super::screen::{self, BAD, BUG, FAINT, GOOD, STRONG, field, grouped, odds, quoted, say, styled};
use super::{CommandLine, interrupts};
use crate::guard::guarded;

pub(super) fn check(
    line: &CommandLine,
    names: &[String],
    bounds: &Bounds,
    search: &Search,
    output: &Output,
) -> Outcome {
    let mut wanted = Vec::new();
    for name in names {
        wanted.push(bounded(line.scenario(name)?, bounds)?);
    }
    let options = search.options();
    interrupts(&options.limits.stop);
    let mut exit = Exit::AsExpected;
    let mut told: Vec<Value> = Vec::new();
    for (at, scenario) in wanted.iter().enumerate() {
        let options = options_for(scenario, search, &options);
        if !output.json {
            if at > 0 {
                say("")?;
            }
            parameters(scenario, &options)?;
        }
        let reproduce = reproduce(line, scenario, search);
        let checked = watched(scenario, search, &options)
            .map_err(|why| Failure::bad_input(format!("{}: {why}", scenario.name())))?;
        let interrupted = options.limits.stop.load(Ordering::Relaxed);
        let judged = match Judged::new(scenario, &checked, interrupted, &output.out) {
            Ok(judged) => judged,
            Err(failure) => {
                // The findings cannot be kept, so they are at least told.
                if let (false, Verdict::Falsified(findings)) = (output.json, &checked.verdict) {
                    for finding in findings {
                        told_only(&checked, finding)?;
                    }
                }
                return Err(failure);
            }
        };
        exit = exit.worse(judged.verdict_exit);
        if output.json {
            let mut value = judged.json();
            value["reproduce"] = reproduce.into();
            told.push(value);
        } else {
            verdict(&judged)?;
            hint(&options, &checked)?;
            if let Verdict::Falsified(findings) = &checked.verdict {
                for (finding, written) in findings.iter().zip(&judged.findings) {
                    story(line, &checked, finding, written)?;
                }
            }
            say(format!("\n{} {reproduce}", styled(FAINT, "reproduce:")))?;
        }
        if interrupted {
            if at + 1 < wanted.len() {
                // What was not run is not as expected.
                exit = exit.worse(Exit::Interrupted);
            }
            break;
        }
    }
    if output.json {
        say(json!({
            "scenarios": told,
            "not_run": wanted.len() - told.len(),
            "exit": exit as u8,
        }))?;
    }
    Ok(exit)
}

/// A scenario that must break is searched by one thread, unless told otherwise: the answer is then the same in
/// every run.
fn options_for(scenario: &Scenario, search: &Search, options: &Options) -> Options {
    let mut options = options.clone();
    options.limits.progress = Arc::default();
    if search.threads.is_none() && *scenario.expected() != Expected::Proved {
        options.limits.threads = 1;
    }
    options
}

fn watched(scenario: &Scenario, search: &Search, options: &Options) -> Result<Checked, String> {
    let watcher = Watcher::new(1);
    watcher.started(0, scenario.name(), &options.limits.progress);
    guarded(|| match search.threads {
        Some(_) => check_now(scenario, options),
        None => check_for_expected(scenario, options),
    })
}

fn parameters(scenario: &Scenario, options: &Options) -> Outcome<()> {
    say(styled(STRONG, scenario.name()))?;
    if !scenario.paragraph().is_empty() {
        say(format!("  {}", scenario.paragraph()))?;
    }
    if !scenario.origin().is_empty() {
        field("source", scenario.origin())?;
    }
    field("bounds", scenario.bounds())?;
    field("expected", expected_text(scenario))?;
    let names: Vec<&str> = scenario.judged_by().iter().map(|p| p.name).collect();
    field("properties", names.join(", "))?;
    let limits = &options.limits;
    let mut search = vec![
        match options.order {
            Order::BreadthFirst => "breadth first".to_owned(),
            Order::DepthFirst => "depth first".to_owned(),
            Order::Auto => "a probe depth first, then breadth first".to_owned(),
        },
        match limits.threads {
            1 => "1 thread".to_owned(),
            n => format!("{n} threads"),
        },
        format!("at most {}", size_text(limits.memory)),
    ];
    search.extend(limits.time.map(|time| format!("at most {}", time_text(time))));
    field("search", search.join(", "))?;
    let r = options.reductions;
    let named = [
        (r.symmetry && scenario.judged_by().iter().all(|p| !p.tells_clients_apart), "symmetry"),
        (r.renumber, "renumbering"),
        (r.deliver_first, "delivery first"),
        (r.forget_gone, "forget what is gone"),
    ];
    let on: Vec<&str> = named.iter().filter(|(on, _)| *on).map(|(_, n)| *n).collect();
    field("reductions", if on.is_empty() { "none".into() } else { on.join(", ") })
}

fn verdict(judged: &Judged) -> Outcome<()> {
    let style = match judged.verdict_exit {
        Exit::AsExpected => GOOD,
        Exit::Falsified => BUG,
        _ => BAD,
    };
    let note = match &judged.unexpected {
        None => "as expected".into(),
        Some(_) => format!("expected {}", judged.expected),
    };
    field("verdict", format!("{} ({note})", styled(style, judged.verdict)))?;
    if let Some(why) = &judged.why {
        field("because", why)?;
    }
    field(
        "seen",
        format!(
            "{} states, {} transitions{}{} in {}",
            grouped(judged.states),
            grouped(judged.transitions),
            if judged.depth > 0 { format!(", depth {}", judged.depth) } else { String::new() },
            if judged.probed > 0 { format!(", a probe of {} states", grouped(judged.probed)) } else { String::new() },
            screen::seconds(judged.time)
        ),
    )?;
    field("memory", format!("{} for visited states and frontier", screen::bytes(judged.bytes)))?;
    field("programs", format!("{} runs filled the table", grouped(judged.program_runs as usize)))?;
    field("odds", format!("{} that a state was taken for another", odds(judged.collision_odds)))
}

/// A search level by level that grows beyond so many states is told that there is another.
const GROWN: usize = 100_000;

/// What else may help, where a search has grown and proved nothing.
fn hint(options: &Options, checked: &Checked) -> Outcome<()> {
    let proved = matches!(checked.verdict, Verdict::Proved | Verdict::Broken(_));
    if proved || options.order != Order::BreadthFirst || checked.seen.states < GROWN {
        return Ok(());
    }
    field(
        "hint",
        format!(
            "more than {} states level by level: --order auto probes depth first, and often finds a violation at once",
            grouped(GROWN)
        ),
    )
}

/// The story of a finding, without the places where it is kept.
fn told_only(checked: &Checked, finding: &Finding) -> Outcome<()> {
    say(format!("\n{} {}", styled(BUG, "violated:"), styled(STRONG, finding.property)))?;
    say(format!("  {}", finding.because))?;
    if !finding.shortest {
        say(
            "  A probe has found it. None of the steps can be left out, but there may be a shorter story: --order bfs looks for it.",
        )?;
    }
    tell(&checked.world, &finding.taken, finding.cycle)
}

fn story(line: &CommandLine, checked: &Checked, finding: &Finding, written: &Written) -> Outcome<()> {
    told_only(checked, finding)?;
    let file = quoted(&written.file.display().to_string());
    say(format!("  {} {file}", styled(FAINT, "trace:  ")))?;
    say(format!("  {} {} replay {file}", styled(FAINT, "replay: "), line.program))?;
    say(format!("  {} {} explore {file}", styled(FAINT, "explore:"), line.program))
}

/// A story: how it starts, its steps numbered, and how things stand at the end.
pub(super) fn tell(world: &World, taken: &[Taken], cycle: usize) -> Outcome<()> {
    say(format!("  {} {}", styled(FAINT, "    "), opening(world)))?;
    let numbered = |(at, sentence)| say(format!("  {} {sentence}", styled(FAINT, format!("{:>3}.", at + 1))));
    sentences(world, taken, cycle).into_iter().enumerate().try_for_each(numbered)?;
    standing(world, taken).into_iter().try_for_each(|fact| say(format!("  {} {fact}", styled(FAINT, "    "))))
}

/// What must be typed to see it again.
fn reproduce(line: &CommandLine, scenario: &Scenario, search: &Search) -> String {
    let mut words = vec![line.program.clone(), "check".into(), quoted(scenario.name())];
    words.extend(typed_bounds(scenario));
    words.extend(search.typed());
    words.join(" ")
}
