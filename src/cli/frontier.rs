//! `frontier`: which faults a scenario survives, and which break it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use overtake_models::check::named_faults;
use overtake_models::frontier::frontier as search;
use overtake_models::search::Limits;
use overtake_sim::world::{Budget, Fault};
use serde_json::json;

use super::args::Bounds;
use super::exit::{Exit, Failure, Outcome};
use super::names::bounded;
use super::progress::Watcher;
use super::screen::{BAD, BUG, FAINT, GOOD, STRONG, Table, field, quoted, say, styled};
use super::{CommandLine, interrupts};
use crate::guard::guarded;

/// Most of each kind, where nothing is typed.
const MOST: u8 = 2;

fn text(budget: Budget) -> String {
    let faults: Vec<String> = named_faults(budget).iter().map(|(kind, n)| format!("{kind} {n}")).collect();
    if faults.is_empty() { "no faults".into() } else { faults.join(", ") }
}

pub(super) fn frontier(
    line: &CommandLine,
    name: &str,
    bounds: &Bounds,
    total: u32,
    limits: (usize, Option<Duration>),
    as_json: bool,
) -> Outcome {
    let typed = bounds.faults().iter().any(Option::is_some);
    let scenario = bounded(line.scenario(name)?, bounds)?;
    let most = Fault::ALL.into_iter().zip(bounds.faults()).fold(Budget::default(), |budget, (fault, wanted)| {
        let most = if typed { wanted.map_or(0, |_| scenario.budget().get(fault)) } else { MOST };
        budget.with(fault, most.min(total.min(Budget::MOST.into()) as u8))
    });
    let limits = Limits { memory: limits.0, time: limits.1, progress: Arc::default(), ..Limits::default() };
    interrupts(&limits.stop);
    let watcher = Watcher::new(1);
    let found = guarded(|| {
        search(&scenario, most, total, &limits, |budget| {
            watcher.done(0);
            watcher.started(0, &text(budget), &limits.progress);
        })
    })
    .map_err(|why| Failure::bad_input(format!("{}: {why}", scenario.name())))?;
    drop(watcher);
    let exit = match found.undecided.is_empty() && found.idle.is_empty() {
        _ if limits.stop.load(Ordering::Relaxed) => Exit::Interrupted,
        true => Exit::AsExpected,
        false => Exit::Held,
    };
    let mut reproduce = vec![line.program.clone(), "frontier".into(), quoted(scenario.name())];
    reproduce.push(format!("--clients {} --total {total}", scenario.size()));
    if typed {
        reproduce.extend(named_faults(most).iter().map(|(kind, n)| format!("--{kind} {n}")));
    }
    let reproduce = reproduce.join(" ");
    if as_json {
        let faults = |budget: Budget| {
            named_faults(budget).into_iter().map(|(kind, n)| (kind, n.into())).collect::<serde_json::Map<_, _>>()
        };
        say(json!({
            "name": scenario.name(),
            "clients": scenario.size(),
            "most": faults(most),
            "total": total,
            "breaks": found.breaking.iter().map(|b| json!({
                "faults": faults(b.budget),
                "violated": b.violated,
                "smaller_undecided": found.smaller_undecided(b.budget),
            })).collect::<Vec<_>>(),
            "survives": found.surviving.iter().map(|b| faults(*b)).collect::<Vec<_>>(),
            "survives_larger_undecided":
                found.surviving.iter().filter(|b| found.larger_undecided(**b)).map(|b| faults(*b)).collect::<Vec<_>>(),
            "nothing_happens": found.idle.iter().map(|(b, never)| json!({"faults": faults(*b), "never": never})).collect::<Vec<_>>(),
            "undecided": found.undecided.iter().map(|(b, why)| json!({"faults": faults(*b), "why": why})).collect::<Vec<_>>(),
            "searches": found.searches,
            "exit": exit as u8,
            "reproduce": reproduce,
        }))?;
        return Ok(exit);
    }
    say(styled(STRONG, scenario.name()))?;
    field("clients", scenario.size())?;
    field("faults", format!("at most {total} in all, of these kinds: {}", text(most)))?;
    field("searches", found.searches)?;
    let mut rows = Vec::new();
    for breaking in &found.breaking {
        let mut by = breaking.violated.join(", ");
        if found.smaller_undecided(breaking.budget) {
            by += " (a smaller one is not decided)";
        }
        rows.push(vec![(BUG, text(breaking.budget)), (BUG, "breaks".into()), (FAINT, by)]);
    }
    for budget in &found.surviving {
        let larger = if found.larger_undecided(*budget) { " (a larger one is not decided)" } else { "" };
        rows.push(vec![(GOOD, text(*budget)), (GOOD, "survives".into()), (FAINT, format!("proved{larger}"))]);
    }
    for (budget, never) in &found.idle {
        let never = format!("it never happens that {}", never.join(", or that "));
        rows.push(vec![(BAD, text(*budget)), (BAD, "nothing happens".into()), (FAINT, never)]);
    }
    for (budget, why) in &found.undecided {
        rows.push(vec![(BAD, text(*budget)), (BAD, "not decided".into()), (FAINT, why.clone())]);
    }
    say("")?;
    let head = vec!["minimal that break it, maximal that it survives", "verdict", "by"];
    Table { head, right: &[], rows }.lines().into_iter().try_for_each(say)?;
    say(format!("\n{} {reproduce}", styled(FAINT, "reproduce:")))?;
    Ok(exit)
}
