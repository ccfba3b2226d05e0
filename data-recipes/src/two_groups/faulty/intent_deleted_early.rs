//! An intent record that is deleted before the second group is changed.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht};

use crate::two_groups::Pair;
use crate::two_groups::intent::{Slot, add_by, apply, group};

/// *Wrong:* whoever dies after the record is gone leaves the groups apart, and nobody knows what is to be done.
///
/// *Seen:* a message that is acknowledged before it is handled.
///
/// *Cure:* the record is deleted when both groups have the change.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn add<E: DataEnvironment>(env: &E, pair: Pair<'_>, slot: Slot<'_>, key: &str) -> Result<(), StoreError> {
    add_by(env, pair, slot, key, async || complete(env, pair, slot.key).await).await
}

async fn complete<E: DataEnvironment>(env: &E, pair: Pair<'_>, slot: &str) -> Result<Option<Vec<String>>, StoreError> {
    let dht = env.dht();
    let Some(intent) = dht.get(slot).await? else { return Ok(Some(group(&dht, pair.first).await?.0)) };
    let Some(keys) = apply(&dht, pair.first, &intent.data, pair.life).await? else { return Ok(None) };
    dht.del_if(slot, intent.version).await?;
    Ok(apply(&dht, pair.second, &intent.data, pair.life).await?.map(|_| keys))
}
