//! No answer counts as a conflict.

use overtake_recipes::DataEnvironment;
use overtake_recipes::StoreError;
use overtake_recipes::store::documents::Filter;
use overtake_recipes::store::{Documents, Value};

use super::super::{OptimisticError, read, unchanged};

/// *Wrong:* when no answer came the loop goes again. *Seen:* the replace was applied; the change is made twice. *Cure:* [`update`](super::super::update).
///
/// # Errors
/// As [`as_written`](super::super::as_written).
pub async fn lost_reply_as_conflict<E: DataEnvironment, Fut: Future<Output = Value>>(
    env: &E,
    collection: &'static str,
    filter: Filter,
    change: impl Fn(Value) -> Fut,
) -> Result<(), OptimisticError> {
    loop {
        env.checkpoint("lost reply: read", &[]);
        let (item, version) = match read(env, collection, &filter).await {
            Err(OptimisticError::Store(StoreError::Unknown)) => continue,
            other => other?,
        };
        let condition = unchanged(&item, version);
        let mut updated = change(item).await;
        updated.set("version", version + 1);
        match env.documents().replace_one(collection, condition, updated).await {
            Ok(result) if result.matched > 0 => return Ok(()),
            Ok(_) | Err(StoreError::Unknown) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
