//! Fills by version.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Expiration, Updated, Value, doc};

use super::{row, write_row};

/// Reads the row through the cache, and puts it in unless something as new is there.
///
/// # Errors
/// What the stores answer.
pub async fn read<E: DataEnvironment>(env: &E, key: &str) -> Result<Value, StoreError> {
    if let Some(item) = env.dht().get(key).await?.filter(|item| item.data.at("value").is_some()) {
        return Ok(item.data);
    }
    let row = row(env, key).await?;
    put_newer(env, key, row.clone()).await?;
    Ok(row)
}

/// Writes the row, then leaves its version in the cache in place of older content. That one is read back from the store, for another
/// writer may have been there meanwhile.
///
/// # Errors
/// What the stores answer.
pub async fn write<E: DataEnvironment>(env: &E, key: &str, value: Value) -> Result<(), StoreError> {
    write_row(env, key, value).await?;
    let version = row(env, key).await?.int("version");
    put_newer(env, key, doc([("version", version.into())])).await
}

/// Puts the entry in unless the cache has one of that version or a newer one. A row of a version goes in place of the version alone.
async fn put_newer<E: DataEnvironment>(env: &E, key: &str, entry: Value) -> Result<(), StoreError> {
    let cache = env.dht();
    let rank = |entry: &Value| (entry.int("version"), entry.at("value").is_some());
    loop {
        env.checkpoint("cache: put", &[key, &entry.to_string()]);
        let done = match cache.get(key).await? {
            None => cache.put(key, entry.clone(), Expiration::Never).await?,
            Some(item) if rank(&item.data) >= rank(&entry) => return Ok(()),
            Some(item) => cache.update(key, entry.clone(), item.version).await? == Updated::Stored,
        };
        if done {
            return Ok(());
        }
    }
}
