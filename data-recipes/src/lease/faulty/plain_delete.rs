//! The release deletes whatever lease is there.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht};

use crate::lease::Held;

/// *Wrong:* the lease has expired and is another's by now; the delete takes that away, and a third client is granted the lease beside the second.
///
/// *Seen:* `semantics §6.3` (M57); <https://github.com/redis/redis-py/issues/415>.
///
/// *Cure:* delete by the version of the own lease, or compare the token and write a tombstone.
///
/// # Errors
/// When the node does not answer.
pub async fn release<E: DataEnvironment>(env: &E, held: &Held) -> Result<(), StoreError> {
    env.dht().del(&held.key).await?;
    Ok(())
}
