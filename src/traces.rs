//! Replaying traces against the scenarios of a crate, and where they are kept.

use overtake_models::replay::{Stale, Taken, judge, replay as take_steps};
pub use overtake_models::trace::slug;
use overtake_models::{Property, Scenario, Trace};
use overtake_sim::world::{Budget, Fault, MOST_CLIENTS, World};

/// What became of a trace.
#[derive(Debug)]
pub enum Replayed {
    /// The steps violate the property for the reason that the trace gives.
    Violates(Run),
    /// The steps violate the property for another reason, told here.
    ForAnotherReason(Run, String),
    /// The steps can be taken and no longer violate the property.
    ViolatesNothing(Run),
    /// A step cannot be taken any more.
    Stale(Stale),
    /// A program broke the rules on the way.
    Broken(String),
}

/// The steps of a trace in the world that they were taken in.
#[derive(Debug)]
pub struct Run {
    /// The scenario with the trace's bounds.
    pub scenario: Scenario,
    /// The world.
    pub world: World,
    /// The steps.
    pub taken: Vec<Taken>,
    /// How many of the last steps repeat for ever.
    pub cycle: usize,
}

/// Takes the steps of a trace in the world of its scenario, and judges where they lead by its property.
///
/// # Errors
/// A sentence, when there is no such scenario, no such property, or no world with such bounds.
pub fn replay(scenarios: &[Scenario], trace: &Trace) -> Result<Replayed, String> {
    let scenario = bounded_as(scenarios, trace)?;
    let property = property(&scenario, &trace.violates)?.clone();
    let world = scenario.world()?;
    let taken = match take_steps(&world, &trace.all_steps()) {
        Ok(taken) => taken,
        Err(stale) => match world.error() {
            Some(error) => return Ok(Replayed::Broken(error.to_string())),
            None => return Ok(Replayed::Stale(stale)),
        },
    };
    let because = judge(&world, &taken, trace.cycle.len(), &property);
    if let Some(error) = world.error() {
        return Ok(Replayed::Broken(error.to_string()));
    }
    let run = Run { scenario, world, taken, cycle: trace.cycle.len() };
    Ok(match because {
        None => Replayed::ViolatesNothing(run),
        Some(because) if because == trace.because => Replayed::Violates(run),
        Some(because) => Replayed::ForAnotherReason(run, because),
    })
}

/// The scenario that a trace names, with the trace's clients and faults.
///
/// # Errors
/// A sentence, when there is no such scenario, or no world with such bounds.
pub fn bounded_as(scenarios: &[Scenario], trace: &Trace) -> Result<Scenario, String> {
    let named = scenarios.iter().find(|s| s.name() == trace.scenario);
    let Some(scenario) = named else {
        return Err(format!(
            "the trace is of the scenario {:?}, which does not exist; `list` shows all of them",
            trace.scenario
        ));
    };
    let mut budget = Budget::default();
    for (kind, number) in &trace.faults {
        if *number > 15 {
            return Err(format!("{number} {kind} are too many; a world takes 0 to 15"));
        }
        let Some(fault) = Fault::ALL.into_iter().find(|fault| fault.name() == kind) else {
            return Err(format!("{kind:?} is no kind of fault"));
        };
        budget = budget.with(fault, *number);
    }
    let scenario = scenario.clone().with_budget(budget);
    match trace.clients {
        0 => Ok(scenario),
        clients => with_clients(scenario, clients),
    }
}

/// The scenario with so many clients in all: the number in its largest group changes.
///
/// # Errors
/// A sentence, when it cannot have so many.
pub fn with_clients(scenario: Scenario, clients: usize) -> Result<Scenario, String> {
    let others = scenario.clone().with_clients(0).size();
    let fewest = others.max(1);
    if !(fewest..=MOST_CLIENTS).contains(&clients) {
        return Err(format!(
            "{:?} cannot have {clients} clients: it takes {fewest} to {MOST_CLIENTS}",
            scenario.name(),
        ));
    }
    Ok(scenario.with_clients(clients - others))
}

/// The property of that name.
fn property<'a>(scenario: &'a Scenario, name: &str) -> Result<&'a Property, String> {
    let mut kept = scenario.judged_by().iter().filter(|p| !p.is_sometimes());
    kept.clone().find(|p| p.name == name).ok_or_else(|| {
        let mut names: Vec<String> = kept.by_ref().map(|p| format!("{:?}", p.name)).collect();
        if names.is_empty() {
            names.push("none".into());
        }
        format!(
            "the scenario {:?} has no property {name:?} that a trace could violate; it has {}",
            scenario.name(),
            names.join(", ")
        )
    })
}
