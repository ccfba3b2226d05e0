//! The order that the search chooses by itself: a probe, then a search for the shortest story that is bounded in proportion.
//!
//! The probe and the search have worlds of their own, so what the search answers is what it would have answered without a probe.

use super::{Checked, Finding, Options, Order, Verdict, exact, finding};
use crate::property::Property;
use crate::replay::{Taken, follow, judge};
use crate::scenario::{Expected, Scenario};
use crate::search::table::collision_odds;
use crate::search::{Limits, Stopped, probe};
use crate::shrink::fewer_steps;
use crate::space::WorldSpace;

/// States of a probe at most.
pub const PROBE: usize = 10_000;
/// The longest story that a probe looks for. Longer ones take long to shrink, and are read by nobody.
pub const DEEPEST: u32 = 256;
/// When a probe has met a violation after some states, the search for the shortest story may see so many times as many.
pub const TIMES: usize = 8;
/// But no fewer than so many.
pub const LEAST: usize = 10_000;

/// A violation in the world without reductions.
struct Met<'a> {
    property: &'a Property,
    taken: Vec<Taken>,
    because: String,
    states: usize,
}

/// Checks the scenario when a probe meets a violation; `None` when it meets none, or all violations are wanted.
pub(super) fn check(scenario: &Scenario, options: &Options) -> Result<Option<Checked>, String> {
    if options.limits.every_property {
        return Ok(None);
    }
    let Some(met) = meets(scenario, options)? else { return Ok(None) };
    // One thread, so that the bound is come to in the same state each time.
    let states = Some(LEAST.max(TIMES * met.states));
    let limits = Limits { states, threads: 1, ..options.limits.clone() };
    let mut checked = super::check(scenario, &Options { order: Order::BreadthFirst, limits, ..options.clone() })?;
    checked.seen.probed = met.states;
    let told = match &checked.verdict {
        Verdict::Falsified(findings) => findings.iter().any(|finding| finding.property == met.property.name),
        _ => checked.world.error().is_some(),
    };
    if told {
        return Ok(Some(checked));
    }
    let shrunk = fewer_steps(scenario, &met.taken, met.property, &met.because)?;
    let (world, taken, because) = shrunk.ok_or("the story of a probe could not be taken again: please report it")?;
    let finding = Finding { shortest: false, ..finding(scenario, met.property, because, taken, 0) };
    let mut seen = checked.seen;
    let bit = scenario.judged_by().iter().position(|property| property.name == met.property.name);
    seen.violated |= bit.map_or(0, |bit| 1 << bit);
    seen.stopped = seen.stopped.or(Some(Stopped::Violation));
    Ok(Some(Checked {
        verdict: Verdict::Falsified(vec![finding]),
        collision_odds: collision_odds(seen.states),
        program_runs: checked.program_runs,
        seen,
        world,
    }))
}

/// What a probe meets: the violation that is expected, where one is.
fn meets<'a>(scenario: &'a Scenario, options: &Options) -> Result<Option<Met<'a>>, String> {
    let properties = scenario.judged_by();
    let expected = match scenario.expected() {
        Expected::Falsified(name) => properties.iter().position(|property| property.name == *name),
        Expected::Proved => None,
    };
    let wanted = expected.map_or(u64::MAX, |id| 1 << id);
    let world = scenario.world()?;
    let mut left = PROBE;
    for reductions in exact(options.reductions) {
        let limits = Limits { states: Some(left), ..options.limits.clone() };
        let space = WorldSpace::new(&world, reductions, properties);
        let Some(found) = probe(&space, wanted, DEEPEST, &limits) else { return Ok(None) };
        let property = &properties[found.property];
        let taken = follow(&world, reductions, &found.path, property);
        let because = taken.as_ref().and_then(|taken| judge(&world, taken, 0, property));
        if let (Some(taken), Some(because)) = (taken, because) {
            return Ok(Some(Met { property, taken, because, states: PROBE - left + found.states }));
        }
        // The path has no canonical form to be followed by; states without that reduction have.
        left = left.saturating_sub(found.states);
    }
    Ok(None)
}
