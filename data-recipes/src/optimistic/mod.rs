//! Optimistic locking: read a document with its version, change it, replace it if the version is still that; otherwise again.

pub mod faulty;
mod rogue;

use std::fmt;
use std::time::Duration;

use overtake_recipes::client::{Attempt, RetryPolicy};
use overtake_recipes::store::documents::{Filter, Op, Response, and};
use overtake_recipes::store::{Documents, Value};
use overtake_recipes::{DataEnvironment, StoreError};

pub use rogue::{
    add_with_version, add_without_version, many_with_version, many_without_version, set_with_version,
    set_without_version,
};

/// Why an update did not come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptimisticError {
    /// Nothing matches the filter.
    NotFound,
    /// The attempts that the policy allows are used up.
    GaveUp,
    /// The store's error.
    Store(StoreError),
}

impl fmt::Display for OptimisticError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("nothing matches"),
            Self::GaveUp => f.write_str("the attempts are used up"),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OptimisticError {}

impl From<StoreError> for OptimisticError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The slide's policy: 100 attempts without a pause.
pub fn a_hundred_attempts() -> RetryPolicy {
    attempts(100)
}

/// So many attempts without a pause.
pub fn attempts(most: u32) -> RetryPolicy {
    RetryPolicy::Times { retries: most - 1, pause: Duration::ZERO }
}

/// So many attempts, after pauses that grow and are drawn: contenders who have met do not meet again at once.
pub fn backing_off(most: u32) -> RetryPolicy {
    RetryPolicy::bounded(Duration::from_millis(10), Duration::from_secs(1), most - 1)
}

/// As many attempts as it takes.
pub fn until_it_is_in() -> RetryPolicy {
    RetryPolicy::Forever { pause: Duration::ZERO }
}

/// What is behind the attempt, as far as the policy cares.
fn memory(policy: &RetryPolicy, attempt: &Attempt) -> String {
    match policy {
        RetryPolicy::Forever { .. } => String::new(),
        RetryPolicy::Times { .. } | RetryPolicy::Exponential { .. } => attempt.count.to_string(),
        _ => format!("{} {:?} {:?}", attempt.count, attempt.elapsed, attempt.paused),
    }
}

/// Pauses before the next attempt; `false` when there is none.
async fn again<E: DataEnvironment>(env: &E, policy: &RetryPolicy, attempt: &mut Attempt) -> bool {
    let Some(pause) = policy.pause(attempt, |below| env.jitter(below)) else { return false };
    attempt.count += 1;
    if !pause.is_zero() {
        attempt.paused = pause;
        attempt.elapsed += pause;
        env.sleep(pause).await;
    }
    true
}

/// The document and its version, if there is one that matches.
async fn read<E: DataEnvironment>(
    env: &E,
    collection: &'static str,
    filter: &Filter,
) -> Result<(Value, i64), OptimisticError> {
    let item = env.documents().find_one(collection, filter.clone()).await?.ok_or(OptimisticError::NotFound)?;
    let version = item.int("version");
    Ok((item, version))
}

/// The document with that `_id`, if it still has that version.
fn unchanged(item: &Value, version: i64) -> Filter {
    let id = item.at("_id").cloned().unwrap_or(Value::Null);
    and([Filter::Eq("_id".into(), id), Filter::Eq("version".into(), Value::Int(version))])
}

/// The same, if it still matches the filter.
fn still(filter: &Filter, item: &Value, version: i64) -> Filter {
    let same = unchanged(item, version);
    let by_id = matches!(filter, Filter::Eq(field, _) if field == "_id");
    if by_id { same } else { and([same, filter.clone()]) }
}

/// Changes the first document that matches by `change`, which is called once an attempt and must have no side effects. Answers the
/// document as it was written.
///
/// The replace repeats the filter, so that what does not match any more is not replaced, even where the writer that changed it has
/// left the version alone.
///
/// The replace carries a number by which the store knows it again, so that it can be sent again when no answer came: a lost answer is
/// neither a success nor a conflict. Numbers from `operation` on are used, one an attempt.
///
/// # Errors
/// When nothing matches, when the policy's attempts are used up, and the store's.
pub async fn update<E: DataEnvironment, Fut: Future<Output = Value>>(
    env: &E,
    collection: &'static str,
    filter: Filter,
    policy: &RetryPolicy,
    operation: u32,
    change: impl Fn(Value) -> Fut,
) -> Result<Value, OptimisticError> {
    let mut attempt = Attempt::default();
    let mut number = operation;
    loop {
        env.checkpoint("optimistic: read", &[&memory(policy, &attempt), &number.to_string()]);
        let (item, version) = read(env, collection, &filter).await?;
        let condition = still(&filter, &item, version);
        let mut updated = change(item).await;
        updated.set("version", version + 1);
        let replace = Op::Replace(condition, updated.clone(), false);
        let answer = loop {
            match env.documents().retryable(number, collection, replace.clone()).await.map(Response::updated) {
                Err(StoreError::Unknown) => {}
                answer => break answer?,
            }
        };
        if answer.matched > 0 {
            return Ok(updated);
        }
        // A replace that matched nothing has written nothing: the next is another.
        number += 1;
        if !again(env, policy, &mut attempt).await {
            return Err(OptimisticError::GaveUp);
        }
    }
}

/// The helper as it stands on the slide: the replace asks for id and version alone, and no answer is an error like any other.
///
/// # Errors
/// As [`update`]; after [`StoreError::Unknown`] the change may be in or not.
pub async fn as_written<E: DataEnvironment, Fut: Future<Output = Value>>(
    env: &E,
    collection: &'static str,
    filter: Filter,
    policy: &RetryPolicy,
    change: impl Fn(Value) -> Fut,
) -> Result<(), OptimisticError> {
    let mut attempt = Attempt::default();
    loop {
        env.checkpoint("optimistic as written: read", &[&memory(policy, &attempt)]);
        let (item, version) = read(env, collection, &filter).await?;
        let condition = unchanged(&item, version);
        let mut updated = change(item).await;
        updated.set("version", version + 1);
        if env.documents().replace_one(collection, condition, updated).await?.modified > 0 {
            return Ok(());
        }
        if !again(env, policy, &mut attempt).await {
            return Err(OptimisticError::GaveUp);
        }
    }
}
