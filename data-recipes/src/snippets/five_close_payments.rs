//! Snippet 5: find the open payments, then close them.

use overtake_recipes::store::documents::{Change, Filter, Op, and, eq, ne, set};
use overtake_recipes::store::{Documents, Value};
use overtake_recipes::{DataEnvironment, StoreError};

use super::{PAYMENTS, ScriptError};

/// The client's clock.
pub const NOW: i64 = 7;

fn is_null() -> Filter {
    Filter::Eq("completedOn".into(), Value::Null)
}

fn is_not_null() -> Filter {
    ne("completedOn", Value::Null)
}

fn of(payments: &[Value]) -> Filter {
    Filter::In("guid".into(), payments.iter().map(|payment| Value::from(payment.text("guid"))).collect())
}

fn closed_now() -> Vec<Change> {
    vec![set("completedOn", Value::Date(NOW)), set("wasForceClosed", true)]
}

fn closed_by_the_server() -> Vec<Change> {
    vec![set("wasForceClosed", true), Change::CurrentDate("completedOn".into())]
}

/// As it stands on the slide: nobody awaits the find, and a promise has no `map`.
pub async fn as_written<E: DataEnvironment>(env: &E) -> Result<(), ScriptError> {
    drop(env.documents().find(PAYMENTS, is_not_null()));
    Err(ScriptError::TypeError("openPayments.map is not a function"))
}

/// As it stands on the slide, the find awaited. The filter is inverted: the *completed* payments are closed, and of these one, since
/// `update` without `multi` changes one.
pub async fn as_written_awaited<E: DataEnvironment>(env: &E) -> Result<(), ScriptError> {
    let docs = env.documents();
    let open = docs.find(PAYMENTS, is_not_null()).await?;
    docs.update_one(PAYMENTS, of(&open), closed_now()).await?;
    Ok(())
}

/// *Wrong:* `{$ne: null}` are the completed ones. *Seen:* a completed payment is stamped again. *Cure:* `null`.
pub async fn inverted<E: DataEnvironment>(env: &E) -> Result<(), ScriptError> {
    env.documents().update_many(PAYMENTS, is_not_null(), closed_by_the_server()).await?;
    Ok(())
}

/// The slide's own repair, its braces put right: it keeps the inverted filter, and changes one.
pub async fn proposed<E: DataEnvironment>(env: &E) -> Result<(), ScriptError> {
    env.documents().update_one(PAYMENTS, is_not_null(), closed_by_the_server()).await?;
    Ok(())
}

/// *Wrong:* `update` changes one document. *Seen:* the others stay open. *Cure:* update many.
pub async fn one_only<E: DataEnvironment>(env: &E) -> Result<(), ScriptError> {
    env.documents().update_one(PAYMENTS, is_null(), closed_by_the_server()).await?;
    Ok(())
}

/// *Wrong:* the list is from before, and the write looks at the guid alone. *Seen:* a payment that was completed in between is moved and
/// marked. *Cure:* the filter belongs to the write.
pub async fn stale_list<E: DataEnvironment>(env: &E) -> Result<(), ScriptError> {
    let docs = env.documents();
    let open = docs.find(PAYMENTS, is_null()).await?;
    docs.update_many(PAYMENTS, of(&open), closed_by_the_server()).await?;
    Ok(())
}

/// *Wrong:* `now` is the client's clock. *Seen:* payments are closed at a time that the server has not reached, or is long past.
/// *Cure:* `$currentDate`.
pub async fn by_the_clients_clock<E: DataEnvironment>(env: &E) -> Result<(), ScriptError> {
    env.documents().update_many(PAYMENTS, is_null(), closed_now()).await?;
    Ok(())
}

/// Closes all that are open, each on condition that it still is. When the server stops half way, it goes again: what is done
/// does not match any more.
pub async fn repaired<E: DataEnvironment>(env: &E) -> Result<(), ScriptError> {
    loop {
        env.checkpoint("close payments", &[]);
        match env.documents().update_many(PAYMENTS, is_null(), closed_by_the_server()).await {
            Err(StoreError::Unknown | StoreError::HalfDone | StoreError::Unavailable) => {}
            other => return other.map(|_| ()).map_err(ScriptError::Store),
        }
    }
}

/// *Wrong:* the server stops half way, and nobody goes again. *Seen:* some stay open. *Cure:* go again.
pub async fn stops_half_way<E: DataEnvironment>(env: &E) -> Result<(), ScriptError> {
    match env.documents().update_many(PAYMENTS, is_null(), closed_by_the_server()).await {
        Err(StoreError::Unknown | StoreError::HalfDone | StoreError::Unavailable) => Ok(()),
        other => other.map(|_| ()).map_err(ScriptError::Store),
    }
}

/// The customer pays. *Wrong:* the write looks at the guid alone. *Seen:* a payment that was closed by force is completed. *Cure:* both
/// sides look at `completedOn`.
pub async fn complete_unguarded<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let paid = vec![set("completedOn", Value::Date(NOW)), set("paid", true)];
    Ok(env.documents().update_one(PAYMENTS, eq("guid", guid), paid).await?.matched > 0)
}

/// The customer pays, if the payment is open.
pub async fn complete<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let paid = vec![set("completedOn", Value::Date(NOW)), set("paid", true)];
    Ok(env.documents().update_one(PAYMENTS, and([eq("guid", guid), is_null()]), paid).await?.matched > 0)
}

/// A payment is opened.
pub async fn open<E: DataEnvironment>(env: &E, payment: Value) -> Result<(), ScriptError> {
    env.documents().run(PAYMENTS, Op::Insert(payment)).await?;
    Ok(())
}
