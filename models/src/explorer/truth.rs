//! The truth of properties in the state that is shown.

use super::model::{Action, ScenarioModel, State};
use crate::property::{Kind, Property};
use crate::replay::judge;

/// What a property is in one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It holds here.
    Holds,
    /// It is violated here: why.
    Violated(String),
    /// What should be reached is reached here.
    Reached,
    /// What should be reached is not reached here.
    NotHere,
}

impl ScenarioModel {
    /// The truth of the property at that place, in a state that was reached by a step that sent so many watch events.
    pub(super) fn truth(&self, id: usize, state: &State, notified: usize) -> Truth {
        let property = &self.judged[id];
        let view = self.world.view(state.row());
        match &property.kind {
            Kind::Sometimes(reach) if reach(&view) => Truth::Reached,
            Kind::Sometimes(_) => Truth::NotHere,
            Kind::Eventually(goal) => match self.missed_for_ever(property, state) {
                Some(why) => Truth::Violated(why),
                None if goal(&view) => Truth::Reached,
                None => Truth::NotHere,
            },
            kind => {
                let at_rest = matches!(kind, Kind::AtRest(_)) && self.at_rest(state);
                property.violation(&view, at_rest, notified).map_or(Truth::Holds, Truth::Violated)
            }
        }
    }

    /// Why the state ends a run that misses the goal of an `eventually` property: nothing can happen any more, or the
    /// trace repeats from here.
    fn missed_for_ever(&self, property: &Property, state: &State) -> Option<String> {
        let Kind::Eventually(goal) = &property.kind else { return None };
        match &self.recorded {
            Some(recorded) if state.at() == recorded.taken.len() => {
                judge(self.world, &recorded.taken, recorded.cycle, property)
            }
            _ => {
                let missed = !goal(&self.world.view(state.row())) && self.at_rest(state);
                missed.then(|| format!("nothing can happen any more, and it has not come to this: {}", property.name))
            }
        }
    }

    /// The truth of every property along a path, and for each the first step before the last at which it was violated
    /// or reached.
    pub(super) fn truths(&self, path: &[(State, Option<Action>)]) -> Vec<(Truth, Option<usize>)> {
        let notified = |at: usize| match at {
            0 => 0,
            at => path[at - 1].1.as_ref().map_or(0, |action| usize::from(action.0.notified)),
        };
        let last = path.len() - 1;
        let along = (0..self.judged.len()).map(|id| {
            let truth = self.truth(id, &path[last].0, notified(last));
            let told = |at: &usize| {
                let truth = self.truth(id, &path[*at].0, notified(*at));
                matches!(truth, Truth::Violated(_) | Truth::Reached)
            };
            let before = match truth {
                Truth::Holds | Truth::NotHere => (0..last).find(told),
                Truth::Violated(_) | Truth::Reached => None,
            };
            (truth, before)
        });
        along.collect()
    }

    /// Whether one of the steps enabled in the state violates a property about steps.
    pub(super) fn broken_by_a_step(&self, property: &Property, state: &State) -> bool {
        let Kind::AtMostNotified(most) = property.kind else { return false };
        let mut broken = false;
        self.with_engine(|engine| {
            engine.successors(state.row(), |_, facts, _| broken |= usize::from(facts.notified) > most);
        });
        broken
    }

    /// The condition that stateright judges: a function of the state alone, so that a property about steps is judged
    /// by the steps that start in it.
    pub(super) fn condition(&self, id: usize, state: &State) -> bool {
        let property = &self.judged[id];
        let notified = match &self.recorded {
            Some(recorded) if state.at() > 0 => usize::from(recorded.taken[state.at() - 1].notified),
            Some(_) => 0,
            None => return !self.broken_by_a_step(property, state) && self.is_good(id, state, 0),
        };
        self.is_good(id, state, notified)
    }

    fn is_good(&self, id: usize, state: &State, notified: usize) -> bool {
        match self.truth(id, state, notified) {
            Truth::Holds | Truth::Reached => true,
            Truth::Violated(_) => false,
            Truth::NotHere => matches!(self.judged[id].kind, Kind::Eventually(_)),
        }
    }
}
