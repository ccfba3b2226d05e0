//! Snippet 5: find the open payments, then close them.

use overtake_recipes::store::documents::{Change, Filter, Op, Returning, and, eq, ne, set};
use overtake_recipes::store::{Documents, Value, doc};
use overtake_recipes::{DataEnvironment, StoreError};

use super::{PAYMENTS, ScriptError};

/// The runs of the closing: `{_id, at}`.
pub const RUNS: &str = "runs";
/// Payments that were opened before are to be closed.
pub const SINCE: i64 = 5;
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

/// As it stands on the slide, with today's driver: `find` answers a cursor at once, and sends nothing while nobody asks it for documents; its
/// `map` answers another cursor; and the update is sent with that cursor where `$in` wants a list. The server refuses it. (A promise
/// has no `map`: with a driver whose `find` answers one the snippet ends with a TypeError before it calls anybody.)
pub async fn as_written<E: DataEnvironment>(env: &E) -> Result<(), ScriptError> {
    let cursor = doc([("cursor", PAYMENTS.into())]);
    let among = eq("guid", doc([("$in", cursor)]));
    env.documents().update_one(PAYMENTS, among, closed_now()).await?;
    Ok(())
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

/// *Wrong:* each document is stamped by a `$currentDate` of its own. *Seen:* the payments of one run were closed at different times, and
/// a report of the run by its time finds a part of them. *Cure:* take the time once.
pub async fn each_at_its_time<E: DataEnvironment>(env: &E) -> Result<(), ScriptError> {
    repaired(env).await
}

/// The server's clock is read once, by a write that answers what it has written, and stamps all.
pub async fn all_at_one_time<E: DataEnvironment>(env: &E) -> Result<(), ScriptError> {
    let docs = env.documents();
    let read =
        Op::FindAndModify(eq("_id", "run"), None, vec![Change::CurrentDate("at".into())], Returning::After, true);
    let run = docs.run(RUNS, read).await?.document();
    let at = run.as_ref().and_then(|run| run.at("at")).cloned().unwrap_or_default();
    let closed = vec![set("completedOn", at), set("wasForceClosed", true)];
    docs.update_many(PAYMENTS, is_null(), closed).await?;
    Ok(())
}

/// *Wrong:* nothing tells which payments an update of many has closed, so the caller takes those that it has listed before. *Seen:* a
/// customer has paid one of them in between, and is told that it was closed by force. *Cure:* leave a mark of the run in what it changes.
pub async fn lists_what_was_open<E: DataEnvironment>(env: &E) -> Result<Vec<String>, ScriptError> {
    let docs = env.documents();
    let open = docs.find(PAYMENTS, is_null()).await?;
    docs.update_many(PAYMENTS, is_null(), closed_by_the_server()).await?;
    Ok(guids(&open))
}

/// Each payment that the run closes carries the run's id; by that they are found.
pub async fn lists_what_it_has_closed<E: DataEnvironment>(env: &E) -> Result<Vec<String>, ScriptError> {
    let (docs, run) = (env.documents(), env.unique_id());
    let mut changes = closed_by_the_server();
    changes.push(set("closedBy", Value::from(&run)));
    docs.update_many(PAYMENTS, is_null(), changes).await?;
    let mine = Filter::Eq("closedBy".into(), Value::from(&run));
    Ok(guids(&docs.find(PAYMENTS, mine).await?))
}

fn guids(payments: &[Value]) -> Vec<String> {
    payments.iter().map(|payment| payment.text("guid").to_owned()).collect()
}

/// Open, and opened long ago.
fn is_overdue() -> Filter {
    and([is_null(), Filter::Lt("openedOn".into(), Value::Date(SINCE))])
}

/// *Wrong:* what is overdue is listed, and the write asks for the guids and for null: a half of what was looked at. *Seen:* a payment was completed and
/// opened again in between; it is of today, and is closed. *Cure:* all that was looked at belongs into the write.
pub async fn listed_as_overdue<E: DataEnvironment>(env: &E) -> Result<(), ScriptError> {
    let docs = env.documents();
    let overdue = docs.find(PAYMENTS, is_overdue()).await?;
    docs.update_many(PAYMENTS, and([of(&overdue), is_null()]), closed_by_the_server()).await?;
    Ok(())
}

/// Closes what is overdue when it is written.
pub async fn overdue<E: DataEnvironment>(env: &E) -> Result<(), ScriptError> {
    env.documents().update_many(PAYMENTS, is_overdue(), closed_by_the_server()).await?;
    Ok(())
}

/// The customer's payment did not go through after all: it is opened again, as a new one.
pub async fn reopen<E: DataEnvironment>(env: &E, guid: &str, today: i64) -> Result<bool, ScriptError> {
    let paid = and([eq("guid", guid), eq("paid", true)]);
    let anew = vec![set("completedOn", Value::Null), set("paid", false), set("openedOn", Value::Date(today))];
    Ok(env.documents().update_one(PAYMENTS, paid, anew).await?.matched > 0)
}
