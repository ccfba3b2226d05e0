//! Which waits of a program a step has made: what a clock must know to give each of them its own end.

use super::{Step, StepKind, World};
use crate::program::{Obs, OpView};

impl World {
    /// How many of the client's last own waits (timers, work, choices, writes, interrupts) the step makes that is taken in the
    /// state; `None` for a step that does not move the program by itself.
    pub fn made(&self, words: &[u32], step: Step) -> Option<usize> {
        let slot = usize::from(step.slot);
        let moves = [StepKind::Deliver, StepKind::Local, StepKind::Interrupt, StepKind::Write].contains(&step.kind);
        let mut client = self.clients.get(*words.get(2 + slot).filter(|_| moves)?).clone();
        let (pos, value) = ((step.arg & 0xFF) as u8, (step.arg >> 8) as u8);
        let moved = match step.kind {
            StepKind::Deliver => client.deliver(&self.automaton, self.setup.quirks),
            StepKind::Write => {
                let (_, taken) = self.write(self.services.get(words[1]), &client, slot, pos);
                client.observe(&self.automaton, Obs::Written(pos, taken))
            }
            _ => {
                let choice = matches!(self.automaton.node(client.node).ops[usize::from(pos)], OpView::Choice(_));
                let obs = if choice { Obs::Choice(pos, value) } else { Obs::Fire(pos) };
                client.observe(&self.automaton, obs)
            }
        };
        Some(moved.made.into())
    }
}
