//! Exhaustive questions about a smaller world: is there such a violation, and what is the shortest way to it?

use std::panic::{AssertUnwindSafe, catch_unwind};

use overtake_sim::world::{Reductions, World};

use super::Story;
use crate::check::{exact, lasso};
use crate::property::{Kind, Property};
use crate::replay::{follow, judge};
use crate::scenario::Scenario;
use crate::search::{Limits, Stopped, breadth_first, shortest};
use crate::space::WorldSpace;

/// What an exhaustive search has decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decided {
    /// Properties are violated: their bits.
    Violated(u64),
    /// Every state was seen and none violates any; every `sometimes` was reached.
    Clean,
    /// Every state was seen and none violates any, but these `sometimes` were never reached: their bits.
    Idle(u64),
    /// It ended early: why.
    Cut(String),
}

fn reason(stopped: Stopped) -> String {
    match stopped {
        Stopped::Memory => "out of memory",
        Stopped::Time => "out of time",
        Stopped::States => "out of states",
        Stopped::Interrupted => "interrupted",
        Stopped::Violation | Stopped::Error => "ended early",
    }
    .into()
}

fn reductions(properties: &[Property]) -> Reductions {
    Reductions { symmetry: properties.iter().all(|p| !p.tells_clients_apart), ..Reductions::ALL }
}

/// Whether any of the properties is violated in the world, and whether each `sometimes` is reached.
///
/// # Errors
/// A sentence, when a program broke the rules.
pub fn decide(world: &World, properties: &[Property], limits: &Limits) -> Result<Decided, String> {
    let kept: Vec<Property> = properties.iter().filter(|p| !matches!(p.kind, Kind::Eventually(_))).cloned().collect();
    let seen = within_limits(|| {
        let space = WorldSpace::new(world, reductions(properties), &kept).for_threads(limits.threads);
        breadth_first(&space, limits)
    });
    if let Some(error) = world.error() {
        return Err(error.to_string());
    }
    let seen = match seen {
        Ok(seen) => seen,
        Err(why) => return Ok(Decided::Cut(why)),
    };
    // The bits of the properties, where the search has the bits of those that it was given.
    let places = properties.iter().enumerate().filter(|(_, p)| !matches!(p.kind, Kind::Eventually(_)));
    let places: Vec<usize> = places.map(|(id, _)| id).collect();
    let bits = |wanted: &dyn Fn(usize) -> bool| {
        places.iter().enumerate().filter(|(at, _)| wanted(*at)).fold(0u64, |bits, (_, id)| bits | 1 << id)
    };
    if seen.violated != 0 {
        return Ok(Decided::Violated(bits(&|at| seen.violated >> at & 1 == 1)));
    }
    if let Some(stopped) = seen.stopped {
        return Ok(Decided::Cut(reason(stopped)));
    }
    for (id, property) in properties.iter().enumerate() {
        if !matches!(property.kind, Kind::Eventually(_)) {
            continue;
        }
        match within_limits(|| lasso(world, property, Reductions::ALL, limits)) {
            Ok(Ok(None)) => {}
            Ok(Ok(Some(_))) => return Ok(Decided::Violated(1 << id)),
            Ok(Err(why)) | Err(why) => return Ok(Decided::Cut(why)),
        }
    }
    match bits(&|at| kept[at].is_sometimes() && seen.reached >> at & 1 == 0) {
        0 => Ok(Decided::Clean),
        never => Ok(Decided::Idle(never)),
    }
}

/// The shortest way to a violation of the property in the scenario, `None` when there is none; the inner error says why
/// it could not be decided.
///
/// # Errors
/// A sentence, when the scenario makes no world or a program broke the rules.
pub(super) fn story(
    scenario: &Scenario,
    property: &Property,
    limits: &Limits,
) -> Result<Result<Option<Story>, String>, String> {
    let world = scenario.world()?;
    let of = |taken, cycle, because, shortest, world| Story {
        scenario: scenario.clone(),
        world,
        taken,
        cycle,
        because,
        shortest,
    };
    if matches!(property.kind, Kind::Eventually(_)) {
        let found = within_limits(|| lasso(&world, property, Reductions::ALL, limits)).and_then(|found| found);
        return Ok(found.map(|found| found.map(|(taken, cycle, because)| of(taken, cycle, because, false, world))));
    }
    let properties = std::slice::from_ref(property);
    match decide(&world, properties, limits)? {
        Decided::Clean | Decided::Idle(_) => return Ok(Ok(None)),
        Decided::Cut(why) => return Ok(Err(why)),
        Decided::Violated(_) => {}
    }
    for reductions in exact(reductions(properties)) {
        let paths = within_limits(|| shortest(&WorldSpace::new(&world, reductions, properties), 1, limits));
        let path = match paths {
            Ok(Ok(paths)) => paths.into_iter().next(),
            Ok(Err(stopped)) => return Ok(Err(reason(stopped))),
            Err(why) => return Ok(Err(why)),
        };
        let Some((_, path)) = path else { continue };
        let Some(taken) = follow(&world, reductions, &path, property) else { continue };
        if let Some(because) = judge(&world, &taken, 0, property) {
            return Ok(Ok(Some(of(taken, 0, because, true, world))));
        }
    }
    Err("a violation was seen under reductions and not without: a reduction is at fault, please report it".into())
}

/// Calls it; a world that outgrows what the checker can hold ends the search, honestly.
fn within_limits<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        text.unwrap_or("the search panicked").to_owned()
    })
}
