//! Waiting until the connection is made.

use super::LockError;
use crate::{Environment, SessionState, Watch, WatchedEvent, ZooKeeper};

/// Opens a session, in the background, and waits until the client says that it is connected.
///
/// For a client without a session (not yet, or not any more): one that is connected already has
/// nothing to say. If no server is ever reached no event comes at all, so put a time limit on it.
pub async fn connect<E: Environment>(env: &E) -> Result<(), LockError> {
    // Before connecting, so that no event is missed.
    let mut events = env.zookeeper().session_events();
    begin(env);
    loop {
        match events.next().await {
            WatchedEvent::Session(SessionState::Connected) => return Ok(()),
            WatchedEvent::Session(SessionState::Expired) => return Err(LockError::SessionLost),
            _ => {}
        }
    }
}

/// Connects in the background.
pub(super) fn begin<E: Environment>(env: &E) {
    let zk = env.zookeeper();
    env.spawn(async move {
        // What comes of it is told by the session's events.
        let _ = zk.connect().await;
    });
}
