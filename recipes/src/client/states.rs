//! Connection states as Curator tells them to its listeners (§5.8), from the session's events.

use std::time::Duration;

use futures_util::future::{Either, select};

use crate::lock::turn::WatchOf;
use crate::{Environment, SessionState, Watch, WatchedEvent, ZooKeeper};

/// What a listener is told (`ConnectionState` of Curator).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConnectionState {
    /// Connected for the first time. Told once in the life of a client.
    Connected,
    /// The connection is lost; the session may live.
    Suspended,
    /// Connected again, after any bad state: in the old session or in a new one.
    Reconnected,
    /// The session is over, as the server said or as the local clock supposes.
    Lost,
    /// Connected to a server that is cut off from the others and serves reads only.
    ReadOnly,
}

/// Turns session events into states: a small machine without a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct States {
    last: Option<ConnectionState>,
}

impl States {
    /// For a client that has been connected and whose listeners know it.
    pub fn connected() -> Self {
        Self { last: Some(ConnectionState::Connected) }
    }

    /// The state that an event leads to; `None` when nothing changes for a listener.
    pub fn on(&mut self, event: SessionState) -> Option<ConnectionState> {
        use ConnectionState::*;
        let next = match (event, self.last) {
            (SessionState::Connected, None) => Connected,
            (SessionState::Connected, Some(Suspended | Lost)) => Reconnected,
            (SessionState::Connected, Some(_)) => return None,
            // A session that is over is no more suspended than that.
            (SessionState::Disconnected, None | Some(Suspended | Lost)) => return None,
            (SessionState::Disconnected, Some(_)) => Suspended,
            (SessionState::Expired, Some(Lost)) => return None,
            (SessionState::Expired, _) => Lost,
        };
        self.last = Some(next);
        Some(next)
    }

    /// The connection is back, but to a server that serves reads only (`SyncConnected` in read-only mode).
    pub fn on_read_only(&mut self) -> Option<ConnectionState> {
        (self.last.replace(ConnectionState::ReadOnly) != Some(ConnectionState::ReadOnly))
            .then_some(ConnectionState::ReadOnly)
    }

    /// Suspended for as long as the session may live by the local clock: lost, whatever the server thinks.
    pub fn on_local_expiry(&mut self) -> Option<ConnectionState> {
        if self.last != Some(ConnectionState::Suspended) {
            return None;
        }
        self.last = Some(ConnectionState::Lost);
        self.last
    }
}

/// The stream of states of a connection.
pub struct ConnectionStates<E: Environment> {
    env: E,
    events: WatchOf<E>,
    states: States,
    local_expiry: Option<Duration>,
}

impl<E: Environment> ConnectionStates<E> {
    /// The states from now on, of a client that is connected.
    pub fn new(env: &E) -> Self {
        let events = env.zookeeper().session_events();
        Self { env: env.clone(), events, states: States::connected(), local_expiry: None }
    }

    /// Reports `Lost` also when the connection has been suspended for so long by the local clock (Curator: the
    /// negotiated time-out). That is no upper bound: the server may have expired the session before (§5.8).
    pub fn with_local_expiry(mut self, after: Duration) -> Self {
        self.local_expiry = Some(after);
        self
    }

    /// The next change. After a session is over the stream waits for the next session.
    pub async fn next(&mut self) -> ConnectionState {
        loop {
            let suspended = self.states.last == Some(ConnectionState::Suspended);
            let change = match self.local_expiry.filter(|_| suspended) {
                Some(after) => {
                    let (event, timer) = (std::pin::pin!(self.events.next()), std::pin::pin!(self.env.sleep(after)));
                    match select(event, timer).await {
                        Either::Left((event, _)) => Some(event),
                        Either::Right(((), _)) => None,
                    }
                }
                None => Some(self.events.next().await),
            };
            let state = match change {
                Some(WatchedEvent::Session(event)) => {
                    if event == SessionState::Expired {
                        // The handle's watch ends with its session.
                        self.events = self.env.zookeeper().session_events();
                    }
                    self.states.on(event)
                }
                Some(WatchedEvent::Node { .. }) => None,
                None => self.states.on_local_expiry(),
            };
            if let Some(state) = state {
                return state;
            }
        }
    }

    fn name(&self) -> String {
        format!("{:?}", self.states.last)
    }
}

/// Hands each change to a listener, in a task of its own: it may run long after the change, and after other tasks have
/// acted on it. `patience` stands for the executor's queue; the untimed search lets it take any time.
///
/// What the listener keeps must not change what the program does except through `env` (marks, calls): the task's
/// checkpoint knows the state only.
pub fn listen<E: Environment>(env: &E, patience: Duration, mut listener: impl FnMut(ConnectionState) + 'static) {
    let mut states = ConnectionStates::new(env);
    let env = env.clone();
    env.clone().spawn(async move {
        loop {
            env.checkpoint("listener: wait", &[&states.name()]);
            let state = states.next().await;
            env.sleep(patience).await;
            listener(state);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use ConnectionState::*;
    use SessionState::{Connected as Up, Disconnected as Down, Expired};

    #[test]
    fn states_follow_the_events() {
        let cases: [(&[SessionState], &[ConnectionState]); 5] = [
            (&[Up, Down, Up], &[Connected, Suspended, Reconnected]),
            (&[Up, Down, Expired, Up], &[Connected, Suspended, Lost, Reconnected]),
            (&[Up, Up, Down, Down], &[Connected, Suspended]),
            (&[Up, Expired, Down, Up, Down], &[Connected, Lost, Reconnected, Suspended]),
            (&[Down, Up], &[Connected]),
        ];
        for (events, expected) in cases {
            let mut states = States::default();
            let told: Vec<_> = events.iter().filter_map(|e| states.on(*e)).collect();
            assert_eq!(told, expected, "{events:?}");
        }
    }

    #[test]
    fn the_local_clock_gives_up_what_is_suspended() {
        let mut states = States::connected();
        assert_eq!(states.on_local_expiry(), None);
        states.on(Down);
        assert_eq!(states.on_local_expiry(), Some(Lost));
        assert_eq!(states.on_local_expiry(), None);
        // The server's word comes later and is no news; the connection may even come back.
        assert_eq!(states.on(Expired), None);
        assert_eq!(states.on(Up), Some(Reconnected));
    }

    #[test]
    fn read_only_is_a_state_of_its_own() {
        let mut states = States::connected();
        states.on(Down);
        assert_eq!(states.on_read_only(), Some(ReadOnly));
        assert_eq!(states.on_read_only(), None);
        assert_eq!(states.on(Down), Some(Suspended));
    }
}
