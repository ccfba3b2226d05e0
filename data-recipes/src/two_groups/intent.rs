//! An intent record: what is to be done is written down first, and whoever finds it does it.
//!
//! PUT makes the record only if none is there, so changes come one after the other. It names the change and its number; each group carries the
//! number of the last change that it has, and takes the next one only. So a helper that comes late, or a call that arrives late, changes
//! nothing. The record is deleted, by its version, when both groups have the change. Eight calls; works for any change, and for any number
//! of groups.
//!
//! The record is all that brings the groups together again. When it is gone before its time, because it has expired or was evicted, whoever
//! sees unequal numbers goes round for ever.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Expiration, Value, Version, doc};

use super::{Lists, Pair, pause, swap};

/// A group: its keys, the number of its last change, and its version.
pub(super) async fn group<D: Dht>(dht: &D, key: &str) -> Result<(Vec<String>, i64, Option<Version>), StoreError> {
    Ok(match dht.get(key).await? {
        Some(item) => {
            let keys = item.data.at("keys").map_or(Vec::new(), Value::strings);
            (keys, item.data.int("number"), Some(item.version))
        }
        None => (Vec::new(), 0, None),
    })
}

/// Where the intent record is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot<'a> {
    /// Its key.
    pub key: &'a str,
    /// How long a record lives that nobody deletes. It should be for ever.
    pub life: Expiration,
}

/// Adds a key to both groups.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn add<E: DataEnvironment>(env: &E, pair: Pair<'_>, slot: Slot<'_>, key: &str) -> Result<(), StoreError> {
    add_by(env, pair, slot, key, async || complete(env, pair, slot.key).await).await
}

/// The same by what completes a change.
pub(super) async fn add_by<E: DataEnvironment>(
    env: &E,
    pair: Pair<'_>,
    slot: Slot<'_>,
    key: &str,
    complete: impl AsyncFn() -> Result<Option<Vec<String>>, StoreError>,
) -> Result<(), StoreError> {
    loop {
        env.checkpoint("intent: add", &[slot.key, key]);
        let round = async {
            announce(env, pair, slot, key).await?;
            // Whosever change it is.
            Ok(complete().await?.is_some_and(|keys| keys.iter().any(|k| k == key)))
        };
        if pause(env, round.await).await? == Some(true) {
            return Ok(());
        }
    }
}

/// Writes down that the key is to be added, unless it is there, or something is to be done already.
async fn announce<E: DataEnvironment>(env: &E, pair: Pair<'_>, slot: Slot<'_>, key: &str) -> Result<(), StoreError> {
    let dht = env.dht();
    let (keys, number, _) = group(&dht, pair.first).await?;
    if !keys.iter().any(|k| k == key) {
        dht.put(slot.key, doc([("number", (number + 1).into()), ("add", key.into())]), slot.life).await?;
    }
    Ok(())
}

/// Does what the intent record says, if there is one, and deletes it. Answers the keys of the first group then.
///
/// # Errors
/// When a node does not answer.
pub async fn complete<E: DataEnvironment>(
    env: &E,
    pair: Pair<'_>,
    slot: &str,
) -> Result<Option<Vec<String>>, StoreError> {
    let dht = env.dht();
    let Some(intent) = dht.get(slot).await? else {
        // Nothing is to be done: both groups have what the first has.
        return Ok(Some(group(&dht, pair.first).await?.0));
    };
    let Some(keys) = apply(&dht, pair.first, &intent.data, pair.life).await? else { return Ok(None) };
    if apply(&dht, pair.second, &intent.data, pair.life).await?.is_none() {
        return Ok(None);
    }
    dht.del_if(slot, intent.version).await?;
    Ok(Some(keys))
}

/// Makes the change in one group, if it is the group's next. `None` when the group has changed meanwhile.
pub(super) async fn apply<D: Dht>(
    dht: &D,
    name: &str,
    intent: &Value,
    life: Expiration,
) -> Result<Option<Vec<String>>, StoreError> {
    let (mut keys, has, version) = group(dht, name).await?;
    if has >= intent.int("number") {
        return Ok(Some(keys));
    }
    keys.push(intent.text("add").to_owned());
    Ok(swap(dht, name, changed(&keys, intent), version, life).await?.then_some(keys))
}

/// A group after the change.
pub(super) fn changed(keys: &[String], intent: &Value) -> Value {
    doc([("keys", keys.to_vec().into()), ("number", intent.int("number").into())])
}

/// Both groups, after what was to be done is done. Two calls if nothing was.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn read<E: DataEnvironment>(env: &E, pair: Pair<'_>, slot: &str) -> Result<Lists, StoreError> {
    loop {
        env.checkpoint("intent: read", &[slot]);
        let round = look(env, pair, slot).await;
        if let Some(Some(lists)) = pause(env, round).await? {
            return Ok(lists);
        }
    }
}

/// Equal numbers are equal changes, although the groups are read at two moments.
async fn look<E: DataEnvironment>(env: &E, pair: Pair<'_>, slot: &str) -> Result<Option<Lists>, StoreError> {
    let dht = env.dht();
    let (second, has_second, _) = group(&dht, pair.second).await?;
    let (first, has_first, _) = group(&dht, pair.first).await?;
    if has_first == has_second {
        return Ok(Some((first, second)));
    }
    complete(env, pair, slot).await?;
    Ok(None)
}
