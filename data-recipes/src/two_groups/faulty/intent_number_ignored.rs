//! An intent record whose number is not compared with that of the group.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht};

use crate::two_groups::intent::{Slot, add_by, changed, group};
use crate::two_groups::{Pair, swap};

/// *Wrong:* every helper makes the change, also one that comes late, when the group has it.
///
/// *Seen:* a write-ahead record that is applied twice: what it says must be idempotent, or carry what it follows.
///
/// *Cure:* the group's number: a change that the group has is not made again.
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
        let (mut keys, _, version) = group(&dht, name).await?;
        keys.push(intent.data.text("add").to_owned());
        if !swap(&dht, name, changed(&keys, &intent.data), version, pair.life).await? {
            return Ok(None);
        }
        of_first.get_or_insert(keys);
    }
    dht.del_if(slot, intent.version).await?;
    Ok(of_first)
}
