//! Writers beside the scheme: all clients must use it.

use overtake_recipes::store::Documents;
use overtake_recipes::store::documents::{Filter, inc};
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
