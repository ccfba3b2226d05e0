//! From a path in a reduced space to steps in the world as it is, and back from the text of a trace.

use overtake_sim::world::{Engine, Reductions, Step, World};

use crate::property::{Kind, Property};
use crate::search::Path;

/// The reductions under which a run can come back to where it was although numbers went up.
pub const LASSO: Reductions = Reductions { renumber: true, ..Reductions::NONE };

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
    Enabled { steps, at_rest: forced == 0 }
}

/// Finds the steps of the world without reductions that a path in a reduced space stands for, and, where the
/// property speaks about a step, the step that violates it. `None` when the path cannot be followed (a reduction has
/// no canonical form for it); search without that reduction then.
pub fn follow(world: &World, reductions: Reductions, path: &Path<Step>, property: &Property) -> Option<Vec<Taken>> {
    let mut plain = Engine::new(world, Reductions::NONE);
    let mut reduced = Engine::new(world, reductions);
    let mut state = plain.initial();
    let mut taken: Vec<Taken> = Vec::new();
    for wanted in &path.states[1..] {
        let step =
            enabled(&mut plain, &state).steps.into_iter().find(|taken| reduced.canonical(&taken.state) == *wanted)?;
        state.clone_from(&step.state);
        taken.push(step);
    }
    if let Kind::AtMostNotified(most) = property.kind {
        let step = enabled(&mut plain, &state).steps.into_iter().find(|t| usize::from(t.notified) > most)?;
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

/// Why a run violates the property; `None` when it does not. The last `cycle` steps are those that repeat for ever.
pub fn judge(world: &World, taken: &[Taken], cycle: usize, property: &Property) -> Option<String> {
    let mut engine = Engine::new(world, Reductions::NONE);
    let initial = engine.initial();
    let state = taken.last().map_or(&initial, |t| &t.state);
    let now = enabled(&mut engine, state);
    if let Kind::Eventually(goal) = &property.kind {
        let from = taken.len() - cycle;
        let start = if from == 0 { &initial } else { &taken[from - 1].state };
        let mut round: Vec<&[u32]> = vec![start];
        round.extend(taken[from..].iter().map(|t| t.state.as_slice()));
        let fair = if cycle == 0 {
            now.at_rest
        } else {
            closes(world, &round) && is_fair(&mut engine, &round, &taken[from..])
        };
        let mut run = std::iter::once(&initial).chain(taken.iter().map(|t| &t.state));
        let missed = run.all(|state| !goal(&world.view(state)));
        return (fair && missed).then(|| match cycle {
            0 => format!("nothing can happen any more, and it has not come to this: {}", property.name),
            1 => format!("this step can repeat for ever, and it never comes to this: {}", property.name),
            n => format!("these {n} steps can repeat for ever, and it never comes to this: {}", property.name),
        });
    }
    let notified = taken.last().map_or(0, |t| usize::from(t.notified));
    property.violation(&world.view(state), now.at_rest, notified)
}

/// Whether the last state is the first, but for the numbers that went up meanwhile.
fn closes(world: &World, round: &[&[u32]]) -> bool {
    let mut engine = Engine::new(world, LASSO);
    engine.canonical(round[0]) == engine.canonical(round[round.len() - 1])
}

/// Whether every class of steps that is enabled all the way round is taken on it.
fn is_fair(engine: &mut Engine<'_>, round: &[&[u32]], taken: &[Taken]) -> bool {
    let mut open: Option<Vec<u16>> = None;
    for state in round {
        let here: Vec<u16> = enabled(engine, state).steps.iter().filter_map(|t| t.step.fair_class()).collect();
        open = Some(match open {
            None => here,
            Some(open) => open.into_iter().filter(|class| here.contains(class)).collect(),
        });
    }
    let is_taken = |class: &u16| taken.iter().any(|t| t.step.fair_class() == Some(*class));
    open.unwrap_or_default().iter().all(is_taken)
}
