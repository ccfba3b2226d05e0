//! A conflict is noticed and nothing is made of it.

use overtake_recipes::DataEnvironment;
use overtake_recipes::store::documents::Filter;
use overtake_recipes::store::{Documents, Value};

use super::super::{OptimisticError, read, unchanged};

/// *Wrong:* when the replace matches nothing the update counts as done. *Seen:* the change is acknowledged and is not in. *Cure:* [`update`](super::super::update).
///
/// # Errors
/// As [`as_written`](super::super::as_written).
pub async fn conflict_swallowed<E: DataEnvironment, Fut: Future<Output = Value>>(
    env: &E,
    collection: &'static str,
    filter: Filter,
    change: impl Fn(Value) -> Fut,
) -> Result<(), OptimisticError> {
    let (item, version) = read(env, collection, &filter).await?;
    let condition = unchanged(&item, version);
    let mut updated = change(item).await;
    updated.set("version", version + 1);
    env.documents().replace_one(collection, condition, updated).await?;
    Ok(())
}
