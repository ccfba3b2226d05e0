//! An intent record, with groups that are written by SET.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht};

use crate::two_groups::Pair;
use crate::two_groups::intent::{Slot, add_by, changed, group};

/// *Wrong:* the number is looked at, but between the look and the SET another helper completes this change, and a later one is made: the
/// late SET takes it back.
///
/// *Seen:* wherever a check and a write are two calls.
///
/// *Cure:* UPDATE by the version under which the number was read.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn add<E: DataEnvironment>(env: &E, pair: Pair<'_>, slot: Slot<'_>, key: &str) -> Result<(), StoreError> {
    add_by(env, pair, slot, key, async || complete(env, pair, slot.key).await).await
}

async fn complete<E: DataEnvironment>(env: &E, pair: Pair<'_>, slot: &str) -> Result<Option<Vec<String>>, StoreError> {
    let dht = env.dht();
    let Some(intent) = dht.get(slot).await? else { return Ok(Some(group(&dht, pair.first).await?.0)) };
    let mut of_first = None;
    for name in [pair.first, pair.second] {
        let (mut keys, has, _) = group(&dht, name).await?;
        if has < intent.data.int("number") {
            keys.push(intent.data.text("add").to_owned());
            dht.set(name, changed(&keys, &intent.data), pair.life).await?;
        }
        of_first.get_or_insert(keys);
    }
    dht.del_if(slot, intent.version).await?;
    Ok(of_first)
}
