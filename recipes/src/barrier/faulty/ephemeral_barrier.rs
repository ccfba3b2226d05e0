//! The barrier's node is ephemeral.

use crate::barrier::{Barrier, set};
use crate::lock::LockError;
use crate::{CreateMode, Environment};

/// *Wrong:* the node goes with the session of its maker, so a lost session opens the barrier before anybody meant to.
///
/// *Seen:* the text does not name the mode; Curator's `DistributedBarrier` creates a persistent node.
///
/// *Cure:* a persistent node.
#[derive(Clone)]
pub struct EphemeralBarrier<E: Environment>(E, String);

impl<E: Environment> Barrier<E> for EphemeralBarrier<E> {
    at_a_node!();

    async fn set(&self) -> Result<(), LockError> {
        set(self.parts(), CreateMode::Ephemeral).await
    }
}
