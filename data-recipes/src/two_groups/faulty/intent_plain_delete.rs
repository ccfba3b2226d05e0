//! An intent record that is deleted by plain DEL.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht};

use crate::two_groups::Pair;
use crate::two_groups::intent::{Slot, add_by, apply, group};

/// *Wrong:* a helper that comes late deletes the record of the next change. If whoever makes that dies half-way, nobody knows what is to be
/// done.
///
/// *Seen:* a lock that is released by whoever is late, Redis' `DEL` without a look at the token.
///
/// *Cure:* the record is deleted by its version.
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
    if apply(&dht, pair.second, &intent.data, pair.life).await?.is_none() {
        return Ok(None);
    }
    dht.del(slot).await?;
    Ok(Some(keys))
}
