//! What a store does with a client's call, worked out on values.

use super::client::{Client, Flight, LateCall};
use super::serve::LATE;
use super::step::{Step, StepKind};
use super::{Services, World};
use crate::names::{Who, who};
use crate::stores::{Answer, Call, Progress, Served};

/// What one step of a store with a call gives.
pub(super) struct Called {
    pub services: Services,
    pub client: Client,
    /// The answer, in the world's names; `None` while there is more to do.
    pub answer: Option<Result<Answer, overtake_recipes::StoreError>>,
}

/// The name under which stores know that life of the client at the slot.
pub(super) fn caller(slot: usize, life: u8) -> Who {
    who(slot, life.into())
}

impl World {
    /// The call of that number (from [`LATE`] on: of those that nobody waits for) and how far it has come, in the world's names.
    pub(super) fn call_at(&self, client: &Client, slot: usize, at: u8) -> (Call, Option<Progress>) {
        let (mut call, mut progress) = match at.checked_sub(LATE) {
            Some(late) => {
                let LateCall { call, progress, .. } = client.late_calls[usize::from(late)].clone();
                (call, progress)
            }
            None => {
                let (_, call, _) = client.open_call(&self.automaton, at.into());
                let mut call = call.clone();
                client.resolve(&self.automaton, &mut call);
                let progress = match &client.flights[usize::from(at)] {
                    Flight::Going(progress) => Some(progress.clone()),
                    _ => None,
                };
                (call, progress)
            }
        };
        self.own_names(&mut call, slot, false);
        self.own_names(&mut progress, slot, false);
        (call, progress)
    }

    /// A store takes the call of that number one step further; `None` when it has to wait. Where calls are steps it is taken to
    /// its end (or to where it has to wait), and the answer is with the program at once.
    pub(super) fn call(&self, services: &Services, client: &Client, slot: usize, at: u8) -> Option<Called> {
        let (call, mut progress) = self.call_at(client, slot, at);
        let mut services = services.clone();
        let life = match at.checked_sub(LATE) {
            Some(late) => client.late_calls[usize::from(late)].life,
            None => client.lives,
        };
        let mut begun = false;
        let answer = loop {
            match services.stores.serve(caller(slot, life), &call, progress.as_ref()) {
                Served::Waits if !begun => return None,
                Served::Waits => break None,
                Served::Going(going) => progress = Some(going),
                Served::Done(result) => break Some(result),
            }
            begun = true;
            if !self.setup.calls_are_steps {
                break None;
            }
        };
        let mut client = client.clone();
        let (mut own, mut going) = (answer.clone(), progress);
        if let Some(Ok(answer)) = &mut own {
            self.own_names(answer, slot, true);
        }
        self.own_names(&mut going, slot, true);
        match (at.checked_sub(LATE), own) {
            (Some(late), Some(_)) => drop(client.late_calls.remove(late.into())),
            (Some(late), None) => client.late_calls[usize::from(late)].progress = going,
            (None, Some(result)) if self.setup.calls_are_steps => {
                client.receive_answer(&self.automaton, at.into(), result);
            }
            (None, Some(result)) => client.flights[usize::from(at)] = Flight::Answered(result),
            (None, None) => {
                client.flights[usize::from(at)] = Flight::Going(going.expect("it has begun"));
            }
        }
        Some(Called { services, client, answer })
    }
}

impl World {
    /// A step of a call as a person reads it.
    pub(super) fn describe_call(&self, words: &[u32], step: Step) -> String {
        let slot = usize::from(step.slot);
        let name = &self.setup.clients[slot].name;
        let (services, client) = (self.services.get(words[1]), self.clients.get(words[2 + slot]));
        if step.kind == StepKind::Ring {
            let nodes: Vec<String> = (0..16).filter(|n| step.arg >> n & 1 == 1).map(|n| (n + 1).to_string()).collect();
            let nodes = match nodes.split_last() {
                Some((last, [])) => format!("node {last}"),
                Some((last, others)) => format!("nodes {} and {last}", others.join(", ")),
                None => "no node".into(),
            };
            return format!("{name}: learns that the table consists of {nodes}");
        }
        let at = (step.arg & 0xFF) as u8;
        let call = self.call_at(client, slot, at).0.to_string();
        // Calls of one client that read the same are told apart by their number.
        let equal = |other: &u8| self.call_at(client, slot, *other).0.to_string() == call;
        let before = if at < LATE { (0..at).filter(equal).count() } else { (LATE..at).filter(equal).count() };
        let nth = if before > 0 { format!(" ({})", before + 1) } else { String::new() };
        let answer = |answer: &Result<Answer, overtake_recipes::StoreError>| match answer {
            Ok(answer) => answer.to_string(),
            Err(error) => error.to_string(),
        };
        match step.kind {
            StepKind::Call => {
                let late = if at < LATE { "" } else { "(late) " };
                let outcome = match self.call(services, client, slot, at).and_then(|called| called.answer) {
                    Some(result) => answer(&result),
                    None => "one step".into(),
                };
                format!("{name} → {late}{call}{nth}: {outcome}")
            }
            StepKind::Answer => {
                let Flight::Answered(result) = &client.flights[usize::from(at)] else { unreachable!("not answered") };
                let mut result = result.clone();
                if let Ok(answer) = &mut result {
                    self.own_names(answer, slot, false);
                }
                format!("{name} ← answer to {call}{nth}: {}", answer(&result))
            }
            StepKind::NoAnswer => match &client.flights[usize::from(at)] {
                Flight::Answered(_) => format!("{name}: no answer to {call}{nth}; it was done, the answer is lost"),
                _ if step.arg >> 8 == 0 => format!("{name}: no answer to {call}{nth}; the call is lost"),
                _ => format!("{name}: no answer to {call}{nth}; the call may still arrive"),
            },
            _ => format!("{name}: {call}{nth} is on its way twice"),
        }
    }
}
