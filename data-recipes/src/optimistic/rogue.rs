//! Writers beside the scheme: all clients must use it.

use overtake_recipes::store::documents::{Filter, inc, set};
use overtake_recipes::store::{Documents, Value};
use overtake_recipes::{DataEnvironment, StoreError};

/// *Wrong:* adds without raising the version. *Seen:* whoever has read the document before replaces it, and what was added is gone.
/// *Cure:* every write raises the version, partial ones too.
pub async fn add_without_version<E: DataEnvironment>(
    env: &E,
    collection: &'static str,
    filter: Filter,
    by: i64,
) -> Result<bool, StoreError> {
    Ok(env.documents().update_one(collection, filter, vec![inc("x", by)]).await?.matched > 0)
}

/// Adds, and raises the version.
pub async fn add_with_version<E: DataEnvironment>(
    env: &E,
    collection: &'static str,
    filter: Filter,
    by: i64,
) -> Result<bool, StoreError> {
    let changes = vec![inc("x", by), inc("version", 1)];
    Ok(env.documents().update_one(collection, filter, changes).await?.matched > 0)
}

/// *Wrong:* sets a field without raising the version. *Seen:* whoever has read the document before writes the old value back. *Cure:* as
/// above.
pub async fn set_without_version<E: DataEnvironment>(
    env: &E,
    collection: &'static str,
    filter: Filter,
    field: &'static str,
    value: impl Into<Value>,
) -> Result<bool, StoreError> {
    Ok(env.documents().update_one(collection, filter, vec![set(field, value)]).await?.matched > 0)
}

/// Sets a field, and raises the version.
pub async fn set_with_version<E: DataEnvironment>(
    env: &E,
    collection: &'static str,
    filter: Filter,
    field: &'static str,
    value: impl Into<Value>,
) -> Result<bool, StoreError> {
    let changes = vec![set(field, value), inc("version", 1)];
    Ok(env.documents().update_one(collection, filter, changes).await?.matched > 0)
}

/// *Wrong:* a migration that changes many documents raises no version. *Seen:* the documents that somebody had read are as they were
/// before it. *Cure:* as above.
pub async fn many_without_version<E: DataEnvironment>(
    env: &E,
    collection: &'static str,
    field: &'static str,
    value: impl Into<Value>,
) -> Result<(), StoreError> {
    env.documents().update_many(collection, Filter::All, vec![set(field, value)]).await.map(drop)
}

/// A migration that raises the version of each document that it changes.
pub async fn many_with_version<E: DataEnvironment>(
    env: &E,
    collection: &'static str,
    field: &'static str,
    value: impl Into<Value>,
) -> Result<(), StoreError> {
    let changes = vec![set(field, value), inc("version", 1)];
    env.documents().update_many(collection, Filter::All, changes).await.map(drop)
}
