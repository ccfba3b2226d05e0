//! *Wrong:* takes the old row out of the cache before it writes the new one; who reads between the two puts the old one in again, and a
//! fill by lease does not help. *Seen:* duomark/epocxy#43. *Cure:* [`leased::write`](crate::cache::leased::write).

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Value};

use crate::cache::write_row;

/// Writes the row.
///
/// # Errors
/// What the stores answer.
pub async fn write<E: DataEnvironment>(env: &E, key: &str, value: Value) -> Result<(), StoreError> {
    env.dht().del(key).await?;
    write_row(env, key, value).await
}
