//! Fewer steps by taking them again: what cannot be taken any more is left out (Zeller and Hildebrandt 2002, "Simplifying
//! and isolating failure-inducing input", with repair).

use overtake_sim::world::{Engine, Reductions, Step};

use super::Story;
use crate::property::{Kind, Property};
use crate::replay::Taken;
use crate::scenario::Scenario;

/// Takes the steps in the scenario's world up to the first state that violates the property; `None` when one of them
/// cannot be taken, or none violates it.
///
/// # Errors
/// A sentence, when the scenario makes no world or a program broke the rules.
pub(super) fn again(scenario: &Scenario, steps: &[Step], property: &Property) -> Result<Option<Story>, String> {
    attempt(scenario, steps, property, true)
}

/// As [`again`], but what cannot be taken is left out.
///
/// # Errors
/// As [`again`].
pub(super) fn relaxed(scenario: &Scenario, steps: &[Step], property: &Property) -> Result<Option<Story>, String> {
    attempt(scenario, steps, property, false)
}

/// The story with as many steps left out as can be, one after the other and many at once; `None` when the steps do not
/// violate the property.
///
/// # Errors
/// As [`again`].
pub(super) fn fewer(scenario: &Scenario, steps: &[Step], property: &Property) -> Result<Option<Story>, String> {
    let Some(mut best) = relaxed(scenario, steps, property)? else { return Ok(None) };
    loop {
        let before = best.taken.len();
        let mut piece = before.div_ceil(2);
        while piece > 0 {
            let mut at = 0;
            while at < best.taken.len() {
                let mut left = best.steps();
                left.drain(at..(at + piece).min(left.len()));
                match relaxed(scenario, &left, property)? {
                    Some(smaller) if smaller.taken.len() < best.taken.len() => best = smaller,
                    _ => at += piece,
                }
            }
            piece /= 2;
        }
        if best.taken.len() == before {
            return Ok(Some(best));
        }
    }
}

/// The steps without those of the client at the slot; the clients behind it move up.
pub(super) fn without_client(steps: &[Step], slot: usize) -> Vec<Step> {
    let others = steps.iter().filter(|step| step.client() != Some(slot));
    others.map(|step| step.client_moved(slot)).collect()
}

fn attempt(scenario: &Scenario, steps: &[Step], property: &Property, all: bool) -> Result<Option<Story>, String> {
    if matches!(property.kind, Kind::Eventually(_)) {
        // What happens at last is not seen by taking steps.
        return Ok(None);
    }
    let world = scenario.world()?;
    let mut engine = Engine::new(&world, Reductions::NONE);
    let mut state = engine.initial();
    let mut path: Vec<(Step, u8, Vec<u32>)> = Vec::new();
    let mut because = None;
    let mut left = steps.iter();
    loop {
        let mut next: Vec<(Step, u8, Vec<u32>)> = Vec::new();
        let forced = engine.successors(&state, |_, facts, row| next.push((facts.step, facts.notified, row.to_vec())));
        let notified = path.last().map_or(0, |(_, notified, _)| usize::from(*notified));
        because = because.or_else(|| property.violation(&world.view(&state), forced == 0, notified));
        if because.is_some() {
            break;
        }
        let mut found = None;
        for step in left.by_ref() {
            found = next.iter().position(|(enabled, ..)| enabled == step);
            if found.is_some() || all {
                break;
            }
        }
        let Some(at) = found else { break };
        let taken = next.swap_remove(at);
        state.clone_from(&taken.2);
        path.push(taken);
    }
    if let Some(error) = world.error() {
        return Err(error.to_string());
    }
    let Some(because) = because else { return Ok(None) };
    let mut before = engine.initial();
    let mut taken = Vec::new();
    for (step, notified, state) in path {
        let text = world.describe(&before, step);
        before.clone_from(&state);
        taken.push(Taken { step, text, notified, state });
    }
    drop(engine);
    Ok(Some(Story { scenario: scenario.clone(), world, taken, cycle: 0, because, shortest: false }))
}
