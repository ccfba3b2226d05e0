//! An intent record: what is to be done is written down first, and whoever finds it does it.
//!
//! PUT makes the record only if none is there, so changes come one after the other. It names the change and its number; each group carries the
//! number of the last change that it has, and takes the next one only. So a helper that comes late, or a call that arrives late, changes
//! nothing. The record is deleted, by its version, when both groups have the change. Eight calls; works for any change, and for any number
//! of groups.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Expiration, Value, Version, doc};

use super::{Lists, Pair, pause, swap};

/// A group: its keys, the number of its last change, and its version.
async fn group<D: Dht>(dht: &D, key: &str) -> Result<(Vec<String>, i64, Option<Version>), StoreError> {
    Ok(match dht.get(key).await? {
        Some(item) => {
            let keys = item.data.at("keys").map_or(Vec::new(), Value::strings);
            (keys, item.data.int("number"), Some(item.version))
        }
        None => (Vec::new(), 0, None),
    })
}

/// Adds a key to both groups. `slot` is the key of the intent record.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn add<E: DataEnvironment>(env: &E, pair: Pair<'_>, slot: &str, key: &str) -> Result<(), StoreError> {
    loop {
        env.checkpoint("intent: add", &[slot, key]);
        let round = once(env, pair, slot, key).await;
        if pause(env, round).await? == Some(true) {
            return Ok(());
        }
    }
}

async fn once<E: DataEnvironment>(env: &E, pair: Pair<'_>, slot: &str, key: &str) -> Result<bool, StoreError> {
    let dht = env.dht();
    let (keys, number, _) = group(&dht, pair.first).await?;
    if !keys.iter().any(|k| k == key) {
        let intent = doc([("number", (number + 1).into()), ("add", key.into())]);
        dht.put(slot, intent, Expiration::Never).await?;
    }
    // Whosever it is.
    let done = complete(env, pair, slot).await?;
    Ok(done.is_some_and(|keys| keys.iter().any(|k| k == key)))
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
    let (number, key) = (intent.data.int("number"), intent.data.text("add"));
    let mut of_first = None;
    for name in [pair.first, pair.second] {
        let (mut keys, has, version) = group(&dht, name).await?;
        if has < number {
            keys.push(key.to_owned());
            let change = doc([("keys", keys.clone().into()), ("number", number.into())]);
            if !swap(&dht, name, change, version).await? {
                return Ok(None);
            }
        }
        of_first.get_or_insert(keys);
    }
    dht.del_if(slot, intent.version).await?;
    Ok(of_first)
}

/// Both groups, after what was to be done is done. Three calls if nothing was.
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
