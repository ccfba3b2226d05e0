//! The version is looked at, but nobody raises it.

use overtake_recipes::DataEnvironment;
use overtake_recipes::store::documents::Filter;
use overtake_recipes::store::{Documents, Value};

use super::super::{OptimisticError, read, unchanged};

/// *Wrong:* the version stays as it is, so it is always the one that was read. *Seen:* two clients read the same version, the second overwrites the first. *Cure:* [`update`](super::super::update).
///
/// # Errors
/// As [`as_written`](super::super::as_written).
pub async fn version_not_bumped<E: DataEnvironment, Fut: Future<Output = Value>>(
    env: &E,
    collection: &'static str,
    filter: Filter,
    change: impl Fn(Value) -> Fut,
) -> Result<(), OptimisticError> {
    loop {
        env.checkpoint("version not bumped: read", &[]);
        let (item, version) = read(env, collection, &filter).await?;
        let condition = unchanged(&item, version);
        let updated = change(item).await;
        if env.documents().replace_one(collection, condition, updated).await?.matched > 0 {
            return Ok(());
        }
    }
}
