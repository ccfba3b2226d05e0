//! Waiting for the event of a watch.

use crate::lock::LockError;
use crate::{Environment, EventKind, SessionState, Watch, WatchedEvent};

/// Waits until something happens to the watched node. `place` and `key` are the checkpoint before each wait.
///
/// # Errors
/// [`LockError::SessionLost`] when the session is over first, since no event comes any more.
pub async fn node_event<E: Environment>(
    env: &E,
    place: &'static str,
    key: &[&str],
    watch: &mut impl Watch,
) -> Result<EventKind, LockError> {
    loop {
        env.checkpoint(place, key);
        match watch.next().await {
            WatchedEvent::Node { kind, .. } => return Ok(kind),
            WatchedEvent::Session(SessionState::Expired) => return Err(LockError::SessionLost),
            // A broken connection loses nothing: the client sets the watch again.
            WatchedEvent::Session(_) => {}
        }
    }
}
