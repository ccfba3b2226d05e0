//! Findings of a hunt: written as they were found, and made small at the end.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use overtake_sim::world::{Engine, Reductions, World};

use super::record::{cannot, write_whole};
use super::work::seed_of;
use super::{Plan, Trouble};
use crate::check::{named_faults, repair};
use crate::replay::{Taken, judge};
use crate::sample::{Judge, SampledRun};
use crate::shrink::{Stage, shrink};
use crate::trace::{Trace, slug};

/// The folder, below that of the hunt, for findings as they were found.
pub(super) const AS_FOUND: &str = "found";

/// The first run that violates a property.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Name of the property.
    pub property: String,
    /// Number of the run.
    pub run: u64,
    /// The trace as it was found.
    pub found: Trace,
    /// Where that is.
    pub file: PathBuf,
    /// The trace made small, where it is, and what each stage did; the stages are empty where an earlier hunt did it.
    pub shrunk: Option<(Trace, PathBuf, Vec<Stage>)>,
    /// Why it was not made small, if it was to be.
    pub note: Option<String>,
}

/// The names of a finding's files: as found, and made small.
pub(super) fn files(folder: &Path, scenario: &str, property: &str) -> (PathBuf, PathBuf) {
    let name = format!("{}--{}.trace", slug(scenario), slug(property));
    (folder.join(AS_FOUND).join(&name), folder.join(name))
}

fn read(path: &Path) -> Option<Trace> {
    fs::read_to_string(path).ok()?.parse().ok()
}

/// The command that takes one run again.
pub(super) fn command(plan: &Plan<'_>, run: u64) -> String {
    format!("{} --from {run} --runs 1", plan.command)
}

/// The run as a trace.
fn trace(plan: &Plan<'_>, world: &World, number: u64, run: &SampledRun) -> Result<Trace, Trouble> {
    let mut engine = Engine::new(world, Reductions::NONE);
    let mut state = engine.initial();
    let mut taken = Vec::new();
    for &step in &run.steps {
        let text = world.describe(&state, step);
        let notified = engine.take(&mut state, step);
        taken.push(Taken { step, text, notified, state: state.clone() });
    }
    let property = &plan.scenario.judged_by()[run.violated.expect("a run that violates something")];
    let because = judge(world, &taken, 0, property).ok_or_else(|| {
        Trouble::Broken(format!("run {number} violates {:?} and its steps do not: please report it", property.name))
    })?;
    let (fixed_by, holds_within) = repair(plan.scenario);
    Ok(Trace {
        title: format!("{}: {because}", plan.scenario.name()),
        source: plan.scenario.origin().into(),
        scenario: plan.scenario.name().into(),
        clients: plan.scenario.size(),
        faults: named_faults(plan.scenario.budget()),
        violates: property.name.into(),
        because,
        fixed_by,
        holds_within,
        steps: taken.into_iter().map(|t| t.text).collect(),
        moments: run.moments.clone(),
        found_by: command(plan, number),
        ..Trace::default()
    })
}

/// Writes a run that violates a property, at once.
pub(super) fn write(plan: &Plan<'_>, world: &World, number: u64, run: &SampledRun) -> Result<Finding, Trouble> {
    let found = trace(plan, world, number, run)?;
    let (file, _) = files(&plan.folder, &found.scenario, &found.violates);
    write_whole(&file, &found.to_string())?;
    Ok(Finding { property: found.violates.clone(), run: number, found, file, shrunk: None, note: None })
}

/// The finding that an earlier part of the hunt wrote; the run is taken again where the file is gone.
pub(super) fn recall(plan: &Plan<'_>, world: &World, property: &str, number: u64) -> Result<Finding, Trouble> {
    let (file, _) = files(&plan.folder, plan.scenario.name(), property);
    if let Some(found) = read(&file).filter(|found| found.found_by == command(plan, number)) {
        return Ok(Finding { property: property.into(), run: number, found, file, shrunk: None, note: None });
    }
    let mut engine = Engine::new(world, Reductions::NONE);
    let mut judge = Judge::new(&mut engine, plan.scenario.judged_by());
    let run = plan.sampler.run(&mut engine, &mut judge, seed_of(plan.seed, number));
    let again = run.violated.map(|id| plan.scenario.judged_by()[id].name);
    if again != Some(property) {
        return Err(Trouble::Mismatch(format!(
            "run {number} no longer violates {property:?}: the scenario has changed since {} was written; remove it",
            plan.folder.display()
        )));
    }
    write(plan, world, number, &run)
}

/// Makes the finding small, as far as the plan wants it.
pub(super) fn make_small(plan: &Plan<'_>, finding: &mut Finding) -> Result<(), Trouble> {
    let Some(limits) = &plan.shrink else { return Ok(()) };
    let (_, file) = files(&plan.folder, plan.scenario.name(), &finding.property);
    if let Some(trace) = read(&file).filter(|trace| trace.found_by == finding.found.found_by) {
        finding.shrunk = Some((trace, file, Vec::new()));
        return Ok(());
    }
    let stopped = || plan.stop.load(std::sync::atomic::Ordering::Relaxed);
    let shrunk = if stopped() { None } else { Some(shrink(plan.scenario, plan.repair, &finding.found, limits)) };
    match shrunk {
        _ if stopped() => finding.note = Some("interrupted; it is made small when the hunt goes on".into()),
        None => {}
        Some(Err(why)) => finding.note = Some(why),
        Some(Ok(shrunk)) => {
            write_whole(&file, &shrunk.trace.to_string())?;
            finding.shrunk = Some((shrunk.trace, file, shrunk.stages));
        }
    }
    Ok(())
}

/// The findings that lie in the folder as they were found, by property: those of blocks that are in no record too.
pub(super) fn kept(folder: &Path, scenario: &str) -> BTreeMap<String, Finding> {
    let mut kept = BTreeMap::new();
    for entry in fs::read_dir(folder.join(AS_FOUND)).into_iter().flatten().flatten() {
        let file = entry.path();
        let Some(found) = read(&file).filter(|found| found.scenario == scenario) else { continue };
        let number = found.found_by.rsplit_once(" --from ").and_then(|(_, rest)| rest.strip_suffix(" --runs 1"));
        let Some(run) = number.and_then(|number| number.parse().ok()) else { continue };
        let property = found.violates.clone();
        kept.insert(property.clone(), Finding { property, run, found, file, shrunk: None, note: None });
    }
    kept
}

/// Copies a file of a finding.
///
/// # Errors
/// When it is not there, cannot be read, or cannot be written.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), Trouble> {
    let text = fs::read_to_string(from).map_err(|error| cannot("read", from, &error))?;
    write_whole(to, &text)
}
