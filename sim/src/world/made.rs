//! Which waits of a program a step has made: what a clock must know to give each of them its own end.

use overtake_recipes::StoreError;

use super::serve::LATE;
use super::{Flight, Step, StepKind, World};
use crate::program::{Obs, OpView};

/// Position of the operation, or number of the call.
fn pos_of(step: Step) -> u8 {
    (step.arg & 0xFF) as u8
}

impl World {
    /// How many of the client's last own waits (timers, work, choices, writes, interrupts) the step makes that is taken in the
    /// state; `None` for a step that does not move the program by itself.
    pub fn made(&self, words: &[u32], step: Step) -> Option<usize> {
        let slot = usize::from(step.slot);
        let moves = match step.kind {
            StepKind::Deliver | StepKind::Local | StepKind::Interrupt | StepKind::Write => true,
            StepKind::Answer | StepKind::NoAnswer | StepKind::Ring => true,
            StepKind::Call => self.setup.calls_are_steps && pos_of(step) < LATE,
            _ => false,
        };
        let mut client = self.clients.get(*words.get(2 + slot).filter(|_| moves)?).clone();
        let (pos, value) = (pos_of(step), (step.arg >> 8) as u8);
        let moved = match step.kind {
            StepKind::Deliver => client.deliver(&self.automaton, self.setup.quirks),
            StepKind::Write => {
                let (_, taken) = self.write(self.services.get(words[1]), &client, slot, pos);
                client.observe(&self.automaton, Obs::Written(pos, taken))
            }
            StepKind::Answer => {
                let Flight::Answered(result) = client.flights.get(usize::from(pos))?.clone() else { return None };
                client.receive_answer(&self.automaton, pos.into(), result)
            }
            StepKind::NoAnswer => client.receive_answer(&self.automaton, pos.into(), Err(StoreError::Unknown)),
            StepKind::Ring => client.observe(&self.automaton, Obs::Ring(step.arg)),
            StepKind::Call => {
                let mut answer = self.call(self.services.get(words[1]), &client, slot, pos)?.answer?;
                if let Ok(answer) = &mut answer {
                    self.own_names(answer, slot, true);
                }
                client.receive_answer(&self.automaton, pos.into(), answer)
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
