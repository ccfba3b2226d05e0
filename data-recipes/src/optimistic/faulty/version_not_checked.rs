//! The version is raised, but nobody looks at it.

use overtake_recipes::DataEnvironment;
use overtake_recipes::store::documents::Filter;
use overtake_recipes::store::{Documents, Value};

use super::super::{OptimisticError, read};

/// *Wrong:* the replace filters by `_id` alone. *Seen:* two clients read the same version, the second overwrites the first. *Cure:* [`update`](super::super::update).
///
/// # Errors
/// As [`as_written`](super::super::as_written).
pub async fn version_not_checked<E: DataEnvironment, Fut: Future<Output = Value>>(
    env: &E,
    collection: &'static str,
    filter: Filter,
    change: impl Fn(Value) -> Fut,
) -> Result<(), OptimisticError> {
    let (item, version) = read(env, collection, &filter).await?;
    let id = item.at("_id").cloned().unwrap_or(Value::Null);
    let mut updated = change(item).await;
    updated.set("version", version + 1);
    env.documents().replace_one(collection, Filter::Eq("_id".into(), id), updated).await?;
    Ok(())
}
