//! After a conflict the version is read again, and the object is not.

use overtake_recipes::DataEnvironment;
use overtake_recipes::store::documents::Filter;
use overtake_recipes::store::{Documents, Value};

use super::super::{OptimisticError, read, unchanged};

/// *Wrong:* the change is made to the object of the first read, under the version of the last. *Seen:* the conflict was noticed and the other's change is overwritten all the same. *Cure:* [`update`](super::super::update).
///
/// # Errors
/// As [`as_written`](super::super::as_written).
pub async fn stale_object<E: DataEnvironment, Fut: Future<Output = Value>>(
    env: &E,
    collection: &'static str,
    filter: Filter,
    change: impl Fn(Value) -> Fut,
) -> Result<(), OptimisticError> {
    let (stale, mut version) = read(env, collection, &filter).await?;
    loop {
        let condition = unchanged(&stale, version);
        let mut updated = change(stale.clone()).await;
        updated.set("version", version + 1);
        if env.documents().replace_one(collection, condition, updated).await?.matched > 0 {
            return Ok(());
        }
        env.checkpoint("stale object: version", &[&stale.to_string()]);
        version = read(env, collection, &filter).await?.1;
    }
}
