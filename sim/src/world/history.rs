//! What was called and answered, in its order: for oracles that judge a whole run and not one state of it.
//!
//! Worlds keep it on request only, since two runs that come to one state by different ways are then two states.

use overtake_recipes::StoreError;

use super::Services;
use super::client::{self, Client};
use crate::names::{Name, Names};
use crate::program::Automaton;
use crate::stores::{Answer, Call};

/// One thing that happened between a client and the stores.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Recorded {
    /// The client at the slot makes a call.
    Called(u8, Call),
    /// The call of that number among those that are open at the slot (the oldest is 0) is answered.
    Answered(u8, u8, Result<Answer, StoreError>),
    /// The caller of that call gets no answer and never will.
    GivenUp(u8, u8),
    /// The process at the slot dies with all its open calls.
    Died(u8),
}

impl Names for Recorded {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        match self {
            Self::Called(_, call) => call.names(visit),
            Self::Answered(_, _, Ok(answer)) => answer.names(visit),
            Self::Answered(..) | Self::GivenUp(..) | Self::Died(_) => {}
        }
    }
}

/// A call of a history, with the times of its begin and end: its place in the order of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The client's slot.
    pub slot: u8,
    /// The call.
    pub call: Call,
    /// When it was made.
    pub from: usize,
    /// When its answer came, and the answer; `None`: it never did, and whether the call took effect is open.
    pub answer: Option<(usize, Result<Answer, StoreError>)>,
}

/// The calls of a history, in the order of their making.
pub fn intervals(history: &[Recorded]) -> Vec<Interval> {
    let mut intervals: Vec<Interval> = Vec::new();
    let mut open: Vec<(u8, usize)> = Vec::new();
    let nth = |open: &[(u8, usize)], slot: u8, number: u8| {
        let mut own = open.iter().enumerate().filter(|(_, (s, _))| *s == slot);
        own.nth(number.into()).expect("an open call of that number").0
    };
    for (at, recorded) in history.iter().enumerate() {
        match recorded {
            Recorded::Called(slot, call) => {
                open.push((*slot, intervals.len()));
                intervals.push(Interval { slot: *slot, call: call.clone(), from: at, answer: None });
            }
            Recorded::Answered(slot, number, result) => {
                let (_, interval) = open.remove(nth(&open, *slot, *number));
                intervals[interval].answer = Some((at, result.clone()));
            }
            Recorded::GivenUp(slot, number) => drop(open.remove(nth(&open, *slot, *number))),
            Recorded::Died(slot) => open.retain(|(s, _)| s != slot),
        }
    }
    intervals
}

impl Services {
    /// Records the calls of the client from that number on: those that a step has made.
    pub(super) fn record_calls(
        &mut self,
        automaton: &Automaton,
        slot: usize,
        client: &Client,
        from: usize,
        literal_owners: bool,
    ) {
        let Some(history) = &mut self.history else { return };
        for at in from..client.flights.len() {
            let mut call = client.open_call(automaton, at).1.clone();
            client.resolve(automaton, &mut call);
            if !literal_owners {
                client::to_world(&mut call, slot);
            }
            history.push(Recorded::Called(slot as u8, call));
        }
    }

    /// Records something else.
    pub(super) fn record(&mut self, recorded: Recorded) {
        if let Some(history) = &mut self.history {
            history.push(recorded);
        }
    }
}
