//! The key is added before the item is stored.

use overtake_recipes::store::{DataEnvironment, Dht, Expiration, Value};

use crate::group::{GroupError, add};

/// *Wrong:* a crash between the two leaves a key that leads nowhere, and readers in between find nothing.
///
/// *Seen:* the posts add a key for a new item and store the item nowhere, slip 5.
///
/// *Cure:* store the item first.
///
/// # Errors
/// [`GroupError`] when no round of `rounds` succeeded, or the item was not stored.
pub async fn publish<E: DataEnvironment>(
    env: &E,
    group: &str,
    key: &str,
    item: Value,
    rounds: u32,
) -> Result<(), GroupError> {
    add(env, group, key, rounds).await?;
    env.dht().set(key, item, Expiration::Never).await?;
    Ok(())
}
