//! The retry library stands around the replace alone.

use overtake_recipes::DataEnvironment;
use overtake_recipes::client::{Attempt, RetryPolicy};
use overtake_recipes::store::documents::Filter;
use overtake_recipes::store::{Documents, Value};

use super::super::{OptimisticError, again, memory, read, unchanged};

/// *Wrong:* after a conflict the policy pauses and sends the same replace again. *Seen:* its version never comes back, so all attempts
/// are used up however long the pauses are. *Cure:* the policy belongs around read, change and replace:
/// [`update`](super::super::update).
///
/// # Errors
/// As [`as_written`](super::super::as_written).
pub async fn replace_retried<E: DataEnvironment, Fut: Future<Output = Value>>(
    env: &E,
    collection: &'static str,
    filter: Filter,
    policy: &RetryPolicy,
    change: impl Fn(Value) -> Fut,
) -> Result<(), OptimisticError> {
    let (item, version) = read(env, collection, &filter).await?;
    let condition = unchanged(&item, version);
    let mut updated = change(item).await;
    updated.set("version", version + 1);
    let mut attempt = Attempt::default();
    loop {
        env.checkpoint("replace retried: replace", &[&memory(policy, &attempt), &updated.to_string()]);
        if env.documents().replace_one(collection, condition.clone(), updated.clone()).await?.matched > 0 {
            return Ok(());
        }
        if !again(env, policy, &mut attempt).await {
            return Err(OptimisticError::GaveUp);
        }
    }
}
