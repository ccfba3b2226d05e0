//! The first group is the record by which anybody brings the second up to date.
//!
//! Each group carries the number of the last change that it has. A change is made in the first group, which is one UPDATE, and with that it is
//! decided; the second is behind by one until somebody copies it over: the writer itself, or whoever comes by. Nobody makes the next change
//! before. Four calls, no more than the torn update takes, and nothing that a crash leaves behind is in anybody's way.
//!
//! Groups of one number are the same list as long as nothing is forgotten. When a group has expired, or was evicted, numbers are given a
//! second time; so the lists are compared as well, and where they differ under one number the first group is right
//! ([`faulty::redo_numbers_alone`](super::faulty::redo_numbers_alone)).

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Item, Value, doc};

use super::{Lists, Pair, pause, swap};

/// A group with the number of its last change.
pub(super) struct Group {
    pub keys: Vec<String>,
    pub number: i64,
    pub item: Option<Item>,
}

pub(super) async fn group<D: Dht>(dht: &D, key: &str) -> Result<Group, StoreError> {
    let item = dht.get(key).await?;
    let keys = item.as_ref().and_then(|item| item.data.at("keys")).map_or(Vec::new(), Value::strings);
    Ok(Group { keys, number: item.as_ref().map_or(0, |item| item.data.int("number")), item })
}

pub(super) fn written(keys: &[String], number: i64) -> Value {
    doc([("keys", keys.to_vec().into()), ("number", number.into())])
}

/// Adds a key to both groups.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn add<E: DataEnvironment>(env: &E, pair: Pair<'_>, key: &str) -> Result<(), StoreError> {
    loop {
        env.checkpoint("redo: add", &[pair.first, key]);
        let round = once(env, pair, key).await;
        if pause(env, round).await? == Some(true) {
            return Ok(());
        }
    }
}

/// One round: brings the second group up to date, or makes the change.
async fn once<E: DataEnvironment>(env: &E, pair: Pair<'_>, key: &str) -> Result<bool, StoreError> {
    let dht = env.dht();
    let second = group(&dht, pair.second).await?;
    let mut first = group(&dht, pair.first).await?;
    if !level(&dht, pair, &first, &second).await? {
        return Ok(false);
    }
    if first.keys.iter().any(|k| k == key) {
        return Ok(true);
    }
    first.keys.push(key.to_owned());
    let change = written(&first.keys, first.number + 1);
    if !swap(&dht, pair.first, change.clone(), first.item.map(|item| item.version), pair.life).await? {
        return Ok(false);
    }
    swap(&dht, pair.second, change, second.item.map(|item| item.version), pair.life).await
}

/// Whether the groups have the same changes; if not, the one that is behind gets what the other has.
pub(super) async fn level<D: Dht>(dht: &D, pair: Pair<'_>, first: &Group, second: &Group) -> Result<bool, StoreError> {
    if first.number == second.number && first.keys == second.keys {
        return Ok(true);
    }
    let (behind, key, ahead) = match first.number >= second.number {
        true => (second, pair.second, first),
        // Only when the first was forgotten.
        false => (first, pair.first, second),
    };
    let version = behind.item.as_ref().map(|item| item.version);
    swap(dht, key, written(&ahead.keys, ahead.number), version, pair.life).await?;
    Ok(false)
}

/// Both groups, the second brought up to date if it was behind. Two calls if it was not.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn read<E: DataEnvironment>(env: &E, pair: Pair<'_>) -> Result<Lists, StoreError> {
    loop {
        env.checkpoint("redo: read", &[pair.first]);
        let round = look(env, pair).await;
        if let Some(Some(lists)) = pause(env, round).await? {
            return Ok(lists);
        }
    }
}

async fn look<E: DataEnvironment>(env: &E, pair: Pair<'_>) -> Result<Option<Lists>, StoreError> {
    let dht = env.dht();
    let second = group(&dht, pair.second).await?;
    let first = group(&dht, pair.first).await?;
    let level = level(&dht, pair, &first, &second).await?;
    Ok(level.then_some((first.keys, second.keys)))
}
