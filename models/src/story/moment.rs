//! A step with the states before and after it.

use overtake_sim::world::{ClientView, StepKind, View, World};

use crate::replay::Taken;

/// A step of a run, with the states around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment<'a> {
    /// Number of the step, from 1.
    pub number: usize,
    /// The step.
    pub taken: &'a Taken,
    /// The state before it.
    pub before: View<'a>,
    /// The state after it.
    pub after: View<'a>,
}

/// The steps of a run, with the states around them.
pub(super) fn moments<'a>(world: &'a World, taken: &'a [Taken]) -> Vec<Moment<'a>> {
    let mut before = world.initial();
    let mut moments = Vec::new();
    for (at, taken) in taken.iter().enumerate() {
        let (was, is) = (world.view(before), world.view(&taken.state));
        moments.push(Moment { number: at + 1, taken, before: was, after: is });
        before = &taken.state;
    }
    moments
}

/// The client at the slot.
pub(super) fn client<'a>(view: &View<'a>, slot: usize) -> ClientView<'a> {
    view.clients().nth(slot).expect("every slot has a client")
}

impl<'a> Moment<'a> {
    /// The kind of the step.
    pub fn kind(&self) -> StepKind {
        self.taken.step.kind
    }

    /// The client that the step is about; `None` where it is about none.
    pub fn slot(&self) -> Option<usize> {
        (!self.kind().is_of_servers()).then_some(self.taken.step.slot as usize)
    }

    /// Name of the client that the step is about.
    pub fn name(&self) -> &'a str {
        self.slot().map_or("nobody", |slot| client(&self.before, slot).name())
    }

    /// Whether a call is one step.
    pub fn calls_are_steps(&self) -> bool {
        self.before.world().setup().calls_are_steps
    }

    /// Whether the world has stores only.
    pub fn without_zookeeper(&self) -> bool {
        self.before.world().setup().only_stores()
    }

    /// What the step put on the wire to a client, in words.
    pub fn new_frames(&self, slot: usize) -> Vec<String> {
        let (was, is) = (client(&self.before, slot).incoming(), client(&self.after, slot).incoming());
        let own = self.slot() == Some(slot);
        let kept = match self.kind() {
            StepKind::Deliver if own => was.len() - 1,
            StepKind::Cut | StepKind::Crash | StepKind::Restart if own => 0,
            _ => was.len(),
        };
        is.get(kept..).unwrap_or_default().to_vec()
    }

    /// The calls to stores that the step made a client send, in words. Where calls are steps, sending is no event.
    pub fn new_calls(&self, slot: usize) -> Vec<String> {
        if self.calls_are_steps() {
            return Vec::new();
        }
        let (was, is) = (client(&self.before, slot).calls(), client(&self.after, slot).calls());
        let own = self.slot() == Some(slot);
        let kept = match self.kind() {
            StepKind::Answer | StepKind::NoAnswer if own => was.len() - 1,
            StepKind::Crash | StepKind::Restart if own => 0,
            _ => was.len(),
        };
        is.get(kept..).unwrap_or_default().to_vec()
    }

    /// The requests that the step made a client send, in words.
    pub fn new_requests(&self, slot: usize) -> Vec<String> {
        let (was, is) = (client(&self.before, slot).outgoing(), client(&self.after, slot).outgoing());
        let own = self.slot() == Some(slot);
        let left = if own && self.kind() == StepKind::Serve { &was[1..] } else { &was[..] };
        match is.strip_prefix(left) {
            Some(new) => new.to_vec(),
            None => is,
        }
    }
}
