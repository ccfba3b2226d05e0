//! One record that holds both groups: what the table compares is the version of both.
//!
//! Two calls. Both groups are read, expire, are evicted and lost together, so they never disagree; and everybody who changes either contends for the
//! one record.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Expiration, Value, Version, doc};

use super::{Lists, pause, swap};

/// Adds a key to both groups in the record. `life` is how long the record lives when this makes it.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn add<E: DataEnvironment>(env: &E, record: &str, key: &str, life: Expiration) -> Result<(), StoreError> {
    loop {
        env.checkpoint("one record: add", &[record, key]);
        let round = once(env, record, key, life).await;
        if pause(env, round).await? == Some(true) {
            return Ok(());
        }
    }
}

async fn once<E: DataEnvironment>(env: &E, record: &str, key: &str, life: Expiration) -> Result<bool, StoreError> {
    let dht = env.dht();
    let ((mut first, mut second), version) = lists(&dht, record).await?;
    if first.iter().any(|k| k == key) {
        return Ok(true);
    }
    first.push(key.to_owned());
    second.push(key.to_owned());
    swap(&dht, record, doc([("first", first.into()), ("second", second.into())]), version, life).await
}

/// Both groups, in one call.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn read<E: DataEnvironment>(env: &E, record: &str) -> Result<Lists, StoreError> {
    loop {
        env.checkpoint("one record: read", &[record]);
        let round = lists(&env.dht(), record).await;
        if let Some((lists, _)) = pause(env, round).await? {
            return Ok(lists);
        }
    }
}

async fn lists<D: Dht>(dht: &D, record: &str) -> Result<(Lists, Option<Version>), StoreError> {
    let list = |value: &Value, field: &str| value.at(field).map_or(Vec::new(), Value::strings);
    Ok(match dht.get(record).await? {
        Some(item) => ((list(&item.data, "first"), list(&item.data, "second")), Some(item.version)),
        None => (Lists::default(), None),
    })
}
