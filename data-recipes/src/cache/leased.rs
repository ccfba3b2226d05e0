//! Fills by lease.

use std::time::Duration;

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Expiration, Value, doc};

use super::{row, write_row};

/// How long a fill may take. A marker whose maker has died is gone then.
const FILL: Expiration = Expiration::After(Duration::from_secs(2));

/// Reads the row through the cache. Whoever misses leaves a marker with a token of its own, and puts the row in its place only if it is
/// still there. Whoever finds somebody else's marker reads the row and leaves the cache alone.
///
/// # Errors
/// What the stores answer.
pub async fn read<E: DataEnvironment>(env: &E, key: &str) -> Result<Value, StoreError> {
    let cache = env.dht();
    if let Some(item) = cache.get(key).await? {
        return if item.data.at("filling").is_some() { row(env, key).await } else { Ok(item.data) };
    }
    let token = env.unique_id();
    let marker = doc([("filling", (&token).into())]);
    // The answer does not tell the version, so it is looked up: the marker with this token is this one.
    let lease = match cache.put(key, marker.clone(), FILL).await? {
        true => cache.get(key).await?.filter(|item| item.data == marker),
        false => None,
    };
    let row = row(env, key).await?;
    if let Some(lease) = lease {
        cache.update_until(key, row.clone(), lease.version, Expiration::Never).await?;
    }
    Ok(row)
}

/// Writes the row, then takes whatever is in the cache out, a marker as well.
///
/// # Errors
/// What the stores answer.
pub async fn write<E: DataEnvironment>(env: &E, key: &str, value: Value) -> Result<(), StoreError> {
    write_row(env, key, value).await?;
    env.dht().del(key).await.map(drop)
}
