//! One way through a world, as it is being taken.

use overtake_sim::world::{Engine, Step};

use super::{Ended, Judge, SampledRun};

/// The state that a run has come to, what is enabled there, and the steps so far.
#[derive(Debug)]
pub(super) struct Way {
    state: Vec<u32>,
    notified: u8,
    enabled: Vec<Step>,
    /// Enabled steps that must happen some time.
    pub forced: Vec<Step>,
    /// Enabled faults.
    pub faults: Vec<Step>,
    taken: Vec<Step>,
}

impl Way {
    /// The start.
    pub fn new(engine: &mut Engine<'_>, judge: &mut Judge<'_>) -> Self {
        judge.begin();
        Self {
            state: engine.initial(),
            notified: 0,
            enabled: Vec::new(),
            forced: Vec::new(),
            faults: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// Number of steps so far.
    pub fn len(&self) -> usize {
        self.taken.len()
    }

    /// Looks at the state: finds what is enabled, and answers the run when it is over here.
    pub fn look(&mut self, engine: &mut Engine<'_>, judge: &mut Judge<'_>, limit: usize) -> Option<SampledRun> {
        self.enabled.clear();
        let forced = engine.enabled(&self.state, &mut self.enabled);
        self.forced.clear();
        self.faults.clear();
        for &step in &self.enabled {
            if step.is_fault() { self.faults.push(step) } else { self.forced.push(step) }
        }
        let violated = judge.look(engine, &self.state, self.notified, forced == 0);
        if engine.world().error().is_some() {
            return Some(self.end(Ended::Error));
        }
        if violated.is_some() {
            return Some(SampledRun { violated, ..self.end(Ended::Violation) });
        }
        if self.enabled.is_empty() {
            return Some(self.end(Ended::AtRest));
        }
        (self.taken.len() >= limit).then(|| self.end(Ended::Limit))
    }

    /// Takes a step.
    pub fn take(&mut self, engine: &mut Engine<'_>, step: Step) {
        self.notified = engine.take(&mut self.state, step);
        self.taken.push(step);
    }

    /// The run as it is now.
    pub fn end(&mut self, ended: Ended) -> SampledRun {
        SampledRun { steps: std::mem::take(&mut self.taken), moments: Vec::new(), violated: None, ended }
    }
}
