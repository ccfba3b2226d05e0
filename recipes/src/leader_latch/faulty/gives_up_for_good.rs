//! Leadership is given up on suspension and never taken up again.

use crate::leader_latch::{Latch, Leading, Listener};
use crate::lock::turn::WatchOf;
use crate::lock::{Contender, LockError, Queue};
use crate::{Environment, SessionState, Watch, WatchedEvent};

/// *Wrong:* whoever led when the connection broke stops, as it must, and does not look again when it is connected again.
/// Its session and its node are still there, so nobody else leads either.
///
/// *Seen:* Curator's `LeaderLatch` lists again on RECONNECTED for this reason; O23
/// (<https://github.com/apache/curator/issues/594>) is of this kind.
///
/// *Cure:* list again after each suspension.
#[derive(Clone)]
pub struct GivesUpForGood<E: Environment>(Queue<E>);

impl<E: Environment> Latch<E> for GivesUpForGood<E> {
    in_queue!();

    async fn lead(
        candidate: &Contender<E>,
        connection: &mut WatchOf<E>,
        listener: &impl Listener,
    ) -> Result<(), LockError> {
        let mut leading = Some(Leading::begin(candidate, listener));
        loop {
            let led = if leading.is_some() { "leads" } else { "led" };
            candidate.queue().env().checkpoint("faulty: lead", &[candidate.name(), candidate.session(), led]);
            match connection.next().await {
                WatchedEvent::Session(SessionState::Disconnected) => leading = None,
                WatchedEvent::Session(SessionState::Expired) => return Err(LockError::SessionLost),
                _ => {}
            }
        }
    }
}
