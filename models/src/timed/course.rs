//! Where a run in virtual time stands in its world: ordinary steps, each taken at a moment.

use overtake_sim::world::{Engine, Step, StepKind, World};

use crate::sample::Judge;
use crate::space::PropertyId;

/// The state that a run has come to, what is enabled there, and how it came there.
pub(super) struct Course<'a, 'w, 'j> {
    engine: &'a mut Engine<'w>,
    judge: &'a mut Judge<'j>,
    pub state: Vec<u32>,
    pub enabled: Vec<Step>,
    /// Enabled steps that are more than faults.
    pub forced: usize,
    pub steps: Vec<Step>,
    pub moments: Vec<u64>,
    pub violated: Option<PropertyId>,
}

impl<'a, 'w, 'j> Course<'a, 'w, 'j> {
    /// The start of the world.
    pub fn new(engine: &'a mut Engine<'w>, judge: &'a mut Judge<'j>) -> Self {
        judge.begin();
        let mut course = Self {
            state: engine.initial(),
            engine,
            judge,
            enabled: Vec::new(),
            forced: 0,
            steps: Vec::new(),
            moments: Vec::new(),
            violated: None,
        };
        course.look(0);
        course
    }

    pub fn world(&self) -> &'w World {
        self.engine.world()
    }

    /// Takes the step at the moment, if it is enabled.
    pub fn take(&mut self, step: Step, now: u64) -> bool {
        if !self.enabled.contains(&step) {
            return false;
        }
        let notified = self.engine.take(&mut self.state, step);
        self.steps.push(step);
        self.moments.push(now);
        self.look(notified);
        true
    }

    /// How many waits of its own the step makes the program begin.
    pub fn made(&self, step: Step) -> Option<usize> {
        self.engine.world().made(&self.state, step)
    }

    /// The enabled step of that kind at that client, if there is one.
    pub fn find(&self, kind: StepKind, slot: usize) -> Option<Step> {
        self.enabled.iter().copied().find(|step| step.kind == kind && step.slot as usize == slot)
    }

    fn look(&mut self, notified: u8) {
        self.enabled.clear();
        self.forced = self.engine.enabled(&self.state, &mut self.enabled);
        self.violated = self.judge.look(self.engine, &self.state, notified, self.forced == 0);
    }
}
