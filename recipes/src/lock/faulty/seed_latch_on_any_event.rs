//! Any event counts as connected.

use crate::lock::{LockError, connection};
use crate::{Environment, Watch, ZooKeeper};

/// Connects like [`connection::connect`], but:
///
/// *Wrong:* the latch is counted down by any session event. `Disconnected` or `Expired`, perhaps still
/// of the session before, count as connected too. In practice the first event is usually `Connected`,
/// so it hides.
///
/// *Seen:* slip 6 of the recipe's text, in its native code.
///
/// *Cure:* count down on `Connected` only, and give up on `Expired`.
pub async fn connect<E: Environment>(env: &E) -> Result<(), LockError> {
    let mut events = env.zookeeper().session_events();
    connection::begin(env);
    events.next().await;
    Ok(())
}
