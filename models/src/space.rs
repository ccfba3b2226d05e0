//! State spaces as the searches see them: rows of numbers and a worker that expands them.

use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;

use overtake_sim::world::{Engine, Interner, Reductions, Step, StepFacts, World};
use stateright::{Expectation, Model};

use crate::property::{Kind, Property};

/// A property that is violated or reached, as its place in the space's list.
pub type PropertyId = usize;

/// Something that can be searched. States are rows of `width` numbers; equal states are equal rows.
pub trait Space: Sync {
    /// A step, small and ordered as it is found.
    type Step: Copy + Send + Sync + Debug;
    /// What one thread needs to expand states.
    type Worker<'a>: Worker<Step = Self::Step>
    where
        Self: 'a;

    /// Numbers in a row.
    fn width(&self) -> usize;
    /// Starts a thread's worker.
    fn worker(&self) -> Self::Worker<'_>;
    /// Number of properties.
    fn properties(&self) -> usize;
    /// Why the space can no longer be trusted, if so (a program broke the rules).
    fn error(&self) -> Option<String>;
    /// Bytes held by what all workers share, roughly.
    fn bytes(&self) -> usize {
        0
    }
    /// The class of a step for weak fairness; `None` for a step that nothing forces.
    fn fair_class(&self, _step: Self::Step) -> Option<u16> {
        Some(0)
    }
}

/// What expanding a state told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expanded {
    /// Bits of the properties that the state violates.
    pub violated: u64,
    /// Bits of the properties (`sometimes`) that the state reaches.
    pub reached: u64,
}

/// Expands states for one thread.
pub trait Worker {
    /// A step.
    type Step;
    /// The states at the start.
    fn initial(&mut self) -> Vec<Vec<u32>>;
    /// Is told which states will be expanded next.
    fn prepare(&mut self, _rows: &[u32]) {}
    /// Calls `emit` with every step, the number that the space measures of it, and the next state.
    fn expand(&mut self, row: &[u32], emit: impl FnMut(Self::Step, u8, &[u32])) -> Expanded;
    /// Bytes held by tables of the thread's own.
    fn bytes(&self) -> usize;
}

/// The space of a world under reductions.
#[derive(Debug)]
pub struct WorldSpace<'w> {
    world: &'w World,
    reductions: Reductions,
    properties: &'w [Property],
    shared: bool,
}

impl<'w> WorldSpace<'w> {
    /// The space of the world with the properties to be judged in each state.
    pub fn new(world: &'w World, reductions: Reductions, properties: &'w [Property]) -> Self {
        assert!(properties.len() <= 64, "at most 64 properties in one scenario");
        Self { world, reductions, properties, shared: false }
    }

    /// Several threads will search the space, so that they share what they work out.
    pub fn for_threads(mut self, threads: usize) -> Self {
        self.shared = threads > 1;
        self
    }
}

impl Space for WorldSpace<'_> {
    type Step = Step;
    type Worker<'a>
        = WorldWorker<'a>
    where
        Self: 'a;

    fn width(&self) -> usize {
        self.world.initial().len()
    }

    fn worker(&self) -> WorldWorker<'_> {
        let mut engine = Engine::new(self.world, self.reductions);
        if self.shared {
            engine = engine.sharing();
        }
        let judged = self.properties.iter().enumerate().map(|(id, p)| {
            let bits = p.guard.as_ref().map(|g| g.marks.iter().map(|m| engine.mark_bit(m)).fold(0, |a, b| a | b));
            (id, bits, p)
        });
        let judged = judged.collect();
        WorldWorker { engine, judged, reached: 0 }
    }

    fn properties(&self) -> usize {
        self.properties.len()
    }

    fn error(&self) -> Option<String> {
        self.world.error().map(ToString::to_string)
    }

    fn bytes(&self) -> usize {
        self.world.bytes()
    }

    fn fair_class(&self, step: Step) -> Option<u16> {
        step.fair_class()
    }
}

/// Expands states of a world.
#[derive(Debug)]
pub struct WorldWorker<'w> {
    engine: Engine<'w>,
    judged: Vec<(PropertyId, Option<u32>, &'w Property)>,
    reached: u64,
}

impl Worker for WorldWorker<'_> {
    type Step = Step;

    fn initial(&mut self) -> Vec<Vec<u32>> {
        vec![self.engine.initial()]
    }

    fn prepare(&mut self, rows: &[u32]) {
        let width = self.engine.world().initial().len();
        self.engine.prepare(rows, width);
    }

    fn expand(&mut self, row: &[u32], mut emit: impl FnMut(Step, u8, &[u32])) -> Expanded {
        let mut violated = 0;
        let mut too_many = 0u64;
        let judged = &self.judged;
        let forced = self.engine.successors(row, |_, StepFacts { step, notified }, next| {
            for (id, _, property) in judged {
                if let Kind::AtMostNotified(most) = property.kind
                    && usize::from(notified) > most
                {
                    too_many |= 1 << id;
                }
            }
            emit(step, notified, next);
        });
        violated |= too_many;
        let world = self.engine.world();
        for (id, bits, property) in &self.judged {
            if self.reached >> id & 1 == 1 {
                continue;
            }
            if let (Some(bits), Some(guard)) = (bits, &property.guard)
                && self.engine.marked(row, *bits) < guard.at_least
            {
                continue;
            }
            let view = || world.view(row);
            match &property.kind {
                Kind::Always(check) if check(&view()).is_err() => violated |= 1 << id,
                Kind::AtRest(check) if forced == 0 && check(&view()).is_err() => violated |= 1 << id,
                Kind::Sometimes(check) if check(&view()) => self.reached |= 1 << id,
                _ => {}
            }
        }
        Expanded { violated, reached: self.reached }
    }

    fn bytes(&self) -> usize {
        self.engine.stats().bytes
    }
}

/// Any stateright model as a space: states are interned, so this is for models that fit into memory.
pub struct ModelSpace<M: Model> {
    model: M,
    states: Interner<M::State>,
    marker: PhantomData<M>,
}

impl<M> ModelSpace<M>
where
    M: Model + Sync,
    M::State: Clone + Hash + Eq + Send + Sync,
{
    /// The space of the model. `eventually` properties are not judged: use the fair liveness search.
    pub fn new(model: M) -> Self {
        Self { model, states: Interner::default(), marker: PhantomData }
    }

    /// The state behind a row.
    pub fn state(&self, row: &[u32]) -> &M::State {
        self.states.get(row[0])
    }

    /// The model.
    pub fn model(&self) -> &M {
        &self.model
    }
}

impl<M> Space for ModelSpace<M>
where
    M: Model + Sync,
    M::State: Clone + Hash + Eq + Send + Sync,
{
    /// Position of the action in the list of the state's actions.
    type Step = u32;
    type Worker<'a>
        = ModelWorker<'a, M>
    where
        Self: 'a;

    fn width(&self) -> usize {
        1
    }

    fn worker(&self) -> ModelWorker<'_, M> {
        ModelWorker { space: self, properties: self.model.properties() }
    }

    fn properties(&self) -> usize {
        self.model.properties().len()
    }

    fn error(&self) -> Option<String> {
        None
    }
}

/// Expands states of a stateright model.
#[allow(missing_debug_implementations, reason = "a model's properties are not Debug")]
pub struct ModelWorker<'a, M: Model> {
    space: &'a ModelSpace<M>,
    properties: Vec<stateright::Property<M>>,
}

impl<M> Worker for ModelWorker<'_, M>
where
    M: Model + Sync,
    M::State: Clone + Hash + Eq + Send + Sync,
{
    type Step = u32;

    fn initial(&mut self) -> Vec<Vec<u32>> {
        let states = self.space.model.init_states().into_iter();
        states.filter(|s| self.space.model.within_boundary(s)).map(|s| vec![self.space.states.intern(s)]).collect()
    }

    fn expand(&mut self, row: &[u32], mut emit: impl FnMut(u32, u8, &[u32])) -> Expanded {
        let model = &self.space.model;
        let state = self.space.states.get(row[0]);
        let mut expanded = Expanded::default();
        for (id, property) in self.properties.iter().enumerate() {
            let holds = (property.condition)(model, state);
            match property.expectation {
                Expectation::Always if !holds => expanded.violated |= 1 << id,
                Expectation::Sometimes if holds => expanded.reached |= 1 << id,
                _ => {}
            }
        }
        let mut actions = Vec::new();
        model.actions(state, &mut actions);
        for (at, action) in actions.into_iter().enumerate() {
            if let Some(next) = model.next_state(state, action)
                && model.within_boundary(&next)
            {
                emit(at as u32, 0, &[self.space.states.intern(next)]);
            }
        }
        expanded
    }

    fn bytes(&self) -> usize {
        self.space.states.len() * size_of::<M::State>()
    }
}
