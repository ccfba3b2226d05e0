//! A scenario, or one trace of it, as a stateright model without reductions.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use overtake_sim::world::{Engine, Reductions, World};
use stateright::{Expectation, Model, Path};

use super::{lanes, render};
use crate::property::{Kind, Property};
use crate::replay::{Enabled, Stale, Taken, enabled, replay};
use crate::scenario::Scenario;
use crate::trace::Trace;

/// Most properties of one model: stateright wants each as a function of its own.
pub const MOST_PROPERTIES: usize = 64;

/// A world without reductions as a stateright model. Its actions are named as the steps of traces; with a trace, the
/// only actions are the recorded ones.
pub struct ScenarioModel {
    /// Lives as long as the process: states and tables of successors point into it.
    pub(super) world: &'static World,
    /// What the pictures are headed with.
    pub(super) title: String,
    pub(super) judged: Vec<Property>,
    /// Names of the properties as stateright shows them.
    names: Vec<&'static str>,
    pub(super) recorded: Option<Recorded>,
    /// Tables of successors that no thread is using.
    engines: Mutex<Vec<Engine<'static>>>,
    /// What is known of the search, for pictures.
    pub(super) search: Arc<Mutex<String>>,
}

/// A trace, replayed.
pub(super) struct Recorded {
    pub(super) taken: Vec<Taken>,
    /// How many of the last steps repeat for ever.
    pub(super) cycle: usize,
    /// The property that the end violates.
    pub(super) violates: String,
}

/// A state of a [`ScenarioModel`]. Compares and hashes as its row of numbers; `{:?}` shows what they stand for.
#[derive(Clone)]
pub struct State {
    world: &'static World,
    row: Box<[u32]>,
    /// Steps of the trace behind it; 0 without a trace.
    at: usize,
}

impl State {
    /// The row of numbers.
    pub fn row(&self) -> &[u32] {
        &self.row
    }

    /// Steps of the trace that lead here; 0 in a model without a trace.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The world.
    pub fn world(&self) -> &'static World {
        self.world
    }
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.row == other.row && self.at == other.at
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.row.hash(state);
        self.at.hash(state);
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render::state(&self.world.view(&self.row)))
    }
}

/// A step of a [`ScenarioModel`]; `{:?}` is its name.
#[derive(Clone)]
pub struct Action(pub(super) Taken);

impl Action {
    /// The name, as in traces.
    pub fn text(&self) -> &str {
        &self.0.text
    }
}

impl PartialEq for Action {
    fn eq(&self, other: &Self) -> bool {
        self.0.step == other.0.step && self.0.state == other.0.state
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl fmt::Debug for ScenarioModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ScenarioModel").field(&self.title).finish()
    }
}

impl ScenarioModel {
    /// The model of a scenario. Its world is not freed before the process ends.
    ///
    /// # Errors
    /// A sentence, when the scenario makes no world or has too many properties.
    pub fn new(scenario: &Scenario) -> Result<Self, String> {
        let judged = scenario.judged_by().to_vec();
        if judged.len() > MOST_PROPERTIES {
            return Err(format!("scenario {:?} has more than {MOST_PROPERTIES} properties", scenario.name()));
        }
        let names = judged.iter().map(|p| match p.kind {
            Kind::Eventually(_) => {
                format!("{} (where nothing can happen any more; loops are not searched)", p.name).leak()
            }
            _ => p.name,
        });
        Ok(Self {
            world: Box::leak(Box::new(scenario.world()?)),
            title: format!("{}: {}", scenario.name(), scenario.bounds()),
            names: names.collect(),
            judged,
            recorded: None,
            engines: Mutex::default(),
            search: Arc::default(),
        })
    }

    /// The model of a trace of the scenario, which has the bounds of the trace already.
    ///
    /// # Errors
    /// A sentence for the scenario, or the step of the trace that cannot be taken any more.
    pub fn of_trace(scenario: &Scenario, trace: &Trace) -> Result<Result<Self, Stale>, String> {
        let mut model = Self::new(scenario)?;
        let taken = match replay(model.world, &trace.all_steps()) {
            Ok(taken) => taken,
            Err(stale) => return Ok(Err(stale)),
        };
        model.names = model.judged.iter().map(|p| p.name).collect();
        if !trace.title.is_empty() {
            model.title.clone_from(&trace.title);
        }
        model.recorded = Some(Recorded { taken, cycle: trace.cycle.len(), violates: trace.violates.clone() });
        Ok(Ok(model))
    }

    /// Runs something with a table of successors.
    pub(super) fn with_engine<T>(&self, run: impl FnOnce(&mut Engine<'static>) -> T) -> T {
        let idle = || self.engines.lock().unwrap_or_else(PoisonError::into_inner);
        let spare = idle().pop();
        let mut engine = spare.unwrap_or_else(|| Engine::new(self.world, Reductions::NONE));
        let result = run(&mut engine);
        idle().push(engine);
        result
    }

    /// What is enabled in a state, trace or not.
    pub(super) fn enabled(&self, state: &State) -> Enabled {
        self.with_engine(|engine| enabled(engine, &state.row))
    }

    /// Whether nothing but faults can happen.
    pub(super) fn at_rest(&self, state: &State) -> bool {
        self.with_engine(|engine| engine.successors(&state.row, |_, _, _| {})) == 0
    }

    fn start(&self) -> State {
        let row = self.with_engine(|engine| engine.initial()).into_boxed_slice();
        State { world: self.world, row, at: 0 }
    }
}

impl Model for ScenarioModel {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![self.start()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        match &self.recorded {
            Some(recorded) => actions.extend(recorded.taken.get(state.at).cloned().map(Action)),
            None => actions.extend(self.enabled(state).steps.into_iter().map(Action)),
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let at = if self.recorded.is_some() { state.at + 1 } else { 0 };
        Some(State { world: self.world, row: action.0.state.into_boxed_slice(), at })
    }

    fn format_action(&self, action: &Action) -> String {
        action.0.text.clone()
    }

    fn as_svg(&self, path: Path<State, Action>) -> Option<String> {
        Some(lanes::picture(self, &path.into_vec()))
    }

    fn properties(&self) -> Vec<stateright::Property<Self>> {
        let properties = self.judged.iter().zip(&self.names).zip(CONDITIONS);
        let properties = properties.map(|((property, name), condition)| {
            let expectation = if property.is_sometimes() { Expectation::Sometimes } else { Expectation::Always };
            stateright::Property { expectation, name, condition }
        });
        properties.collect()
    }
}

type Condition = fn(&ScenarioModel, &State) -> bool;

/// The condition of the property at that place. Stateright takes plain functions, which capture nothing.
fn condition<const ID: usize>(model: &ScenarioModel, state: &State) -> bool {
    model.condition(ID, state)
}

macro_rules! conditions {
    ($($id:literal)*) => { [$(condition::<$id>),*] };
}

const CONDITIONS: [Condition; MOST_PROPERTIES] = conditions!(
    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63
);
