//! *Wrong:* what was read after a miss is put in, whatever has happened since. *Seen:* hazelcast/hazelcast#5459,
//! Shopify/identity_cache#154. *Cure:* [`leased`](crate::cache::leased), [`versioned`](crate::cache::versioned).

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Expiration, Value};

use crate::cache::row;

/// Reads the row through the cache.
///
/// # Errors
/// What the stores answer.
pub async fn read<E: DataEnvironment>(env: &E, key: &str) -> Result<Value, StoreError> {
    if let Some(item) = env.dht().get(key).await? {
        return Ok(item.data);
    }
    let row = row(env, key).await?;
    env.dht().set(key, row.clone(), Expiration::Never).await?;
    Ok(row)
}
