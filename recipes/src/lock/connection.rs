//! Waiting until the connection is made.

use super::LockError;
use crate::retry::{PAUSE, is_loss};
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

/// Connects in the background, again and again until the server answers, as the real libraries do.
pub(super) fn begin<E: Environment>(env: &E) {
    let (zk, env) = (env.zookeeper(), env.clone());
    env.clone().spawn(async move {
        env.checkpoint("lock: connect", &[]);
        // What else comes of it is told by the session's events.
        while zk.connect().await.is_err_and(is_loss) {
            env.sleep(PAUSE).await;
            env.checkpoint("lock: connect", &[]);
        }
    });
}
