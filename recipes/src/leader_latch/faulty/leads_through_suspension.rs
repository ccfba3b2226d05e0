//! A suspended connection does not end leadership.

use crate::leader_latch::{Latch, Leading, Listener};
use crate::lock::turn::WatchOf;
use crate::lock::{Contender, LockError, Queue};
use crate::{Environment, SessionState, Watch, WatchedEvent};

/// *Wrong:* leadership ends only when the client is told that its session is over. It is told so when it is connected again,
/// which may be long after another has been elected.
///
/// *Seen:* Curator's `SessionConnectionStateErrorPolicy` does so on purpose.
///
/// *Cure:* give leadership up on suspension, look again when connected again.
#[derive(Clone)]
pub struct LeadsThroughSuspension<E: Environment>(Queue<E>);

impl<E: Environment> Latch<E> for LeadsThroughSuspension<E> {
    in_queue!();

    async fn lead(
        candidate: &Contender<E>,
        connection: &mut WatchOf<E>,
        listener: &impl Listener,
    ) -> Result<(), LockError> {
        let _leading = Leading::begin(candidate, listener);
        loop {
            candidate.queue().env().checkpoint("faulty: lead", &[candidate.name(), candidate.session()]);
            if connection.next().await == WatchedEvent::Session(SessionState::Expired) {
                return Err(LockError::SessionLost);
            }
        }
    }
}
