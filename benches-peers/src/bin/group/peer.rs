//! The group by compare-and-set as a model of stateright's, in the manner of its examples: a step for each call, and one to modify the
//! list.

use stateright::{Checker, Model, Property};

/// What the table holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
struct Group {
    keys: Vec<u8>,
    version: u8,
}

/// Where a client is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Client {
    Begins,
    HasRead(Group),
    HasModified(Group),
    IsDone,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    group: Group,
    clients: Vec<Client>,
}

/// What a client does: by its state there is one thing only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step(u8);

struct CompareAndSet {
    clients: u8,
}

impl Model for CompareAndSet {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![State { group: Group::default(), clients: vec![Client::Begins; usize::from(self.clients)] }]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        let going = (0..self.clients).filter(|client| state.clients[usize::from(*client)] != Client::IsDone);
        steps.extend(going.map(Step));
    }

    fn next_state(&self, state: &State, Step(number): Step) -> Option<State> {
        let mut state = state.clone();
        let client = &mut state.clients[usize::from(number)];
        *client = match std::mem::replace(client, Client::IsDone) {
            Client::Begins => Client::HasRead(state.group.clone()),
            Client::HasRead(mut group) => {
                group.keys.push(number);
                Client::HasModified(group)
            }
            Client::HasModified(group) if group.version == state.group.version => {
                state.group = Group { version: group.version + 1, ..group };
                Client::IsDone
            }
            Client::HasModified(_) => Client::Begins,
            Client::IsDone => return None,
        };
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("every key is in the group", |_, state: &State| {
            let done = state.clients.iter().all(|client| *client == Client::IsDone);
            !done || state.group.keys.len() == state.clients.len()
        })]
    }
}

/// The number of states, by stateright's depth-first search on one thread.
pub fn states(clients: u8) -> usize {
    let checker = CompareAndSet { clients }.checker().threads(1).spawn_dfs().join();
    checker.assert_properties();
    checker.unique_state_count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_states_of_the_others() {
        for (clients, expected) in [(3, 150), (4, 1_409), (5, 16_528), (6, 232_629)] {
            assert_eq!(states(clients), expected, "{clients} clients");
        }
    }
}
