//! From a path in a reduced space to steps in the world as it is, and back from the text of a trace.

use overtake_sim::world::{Engine, Reductions, Step, World};

use crate::property::{Kind, Property};
use crate::search::Path;

/// One step of a run of a world without reductions.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The step.
    pub step: Step,
    /// Its name.
    pub text: String,
    /// Watch events that it sent.
    pub notified: u8,
    /// The state after it.
    pub state: Vec<u32>,
}

/// What is enabled in a state of the world without reductions.
#[derive(Clone, Debug)]
pub struct Enabled {
    /// The steps.
    pub steps: Vec<Taken>,
    /// Whether nothing but faults is among them.
    pub at_rest: bool,
}

/// The steps enabled in a state.
pub fn enabled(engine: &mut Engine<'_>, state: &[u32]) -> Enabled {
    let world = engine.world();
    let mut steps = Vec::new();
    let forced = engine.successors(state, |_, facts, next| {
        steps.push(Taken {
            step: facts.step,
            text: world.describe(state, facts.step),
            notified: facts.notified,
            state: next.to_vec(),
        });
    });
    Enabled {
        steps,
        at_rest: forced == 0,
    }
}

/// Finds the steps of the world without reductions that a path in a reduced space stands for, and, where the
/// property speaks about a step, the step that violates it. `None` when the path cannot be followed (a reduction has
/// no canonical form for it); search without that reduction then.
pub fn follow(
    world: &World,
    reductions: Reductions,
    path: &Path<Step>,
    property: &Property,
) -> Option<Vec<Taken>> {
    let mut plain = Engine::new(world, Reductions::NONE);
    let mut reduced = Engine::new(world, reductions);
    let mut state = plain.initial();
    let mut taken: Vec<Taken> = Vec::new();
    for wanted in &path.states[1..] {
        let step = enabled(&mut plain, &state)
            .steps
            .into_iter()
            .find(|taken| reduced.canonical(&taken.state) == *wanted)?;
        state.clone_from(&step.state);
        taken.push(step);
    }
    if let Kind::AtMostNotified(most) = property.kind {
        let step = enabled(&mut plain, &state)
            .steps
            .into_iter()
            .find(|t| usize::from(t.notified) > most)?;
        taken.push(step);
    }
    Some(taken)
}

/// Why a trace no longer applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    /// Number of the step in the trace, from 1.
    pub number: usize,
    /// The step that is not enabled.
    pub step: String,
    /// The steps that are.
    pub enabled: Vec<String>,
}

/// Takes the steps named, in the world without reductions.
pub fn replay(world: &World, steps: &[String]) -> Result<Vec<Taken>, Stale> {
    let mut engine = Engine::new(world, Reductions::NONE);
    let mut state = engine.initial();
    let mut taken = Vec::new();
    for (at, text) in steps.iter().enumerate() {
        let now = enabled(&mut engine, &state);
        let Some(step) = now.steps.iter().find(|t| t.text == *text) else {
            return Err(Stale {
                number: at + 1,
                step: text.clone(),
                enabled: now.steps.into_iter().map(|t| t.text).collect(),
            });
        };
        state.clone_from(&step.state);
        taken.push(step.clone());
    }
    Ok(taken)
}

/// Why the last state of a run violates the property; `None` when it does not.
pub fn judge(world: &World, taken: &[Taken], property: &Property) -> Option<String> {
    let mut engine = Engine::new(world, Reductions::NONE);
    let initial = engine.initial();
    let state = taken.last().map_or(&initial, |t| &t.state);
    let at_rest = enabled(&mut engine, state).at_rest;
    let notified = taken.last().map_or(0, |t| usize::from(t.notified));
    property.violation(&world.view(state), at_rest, notified)
}
