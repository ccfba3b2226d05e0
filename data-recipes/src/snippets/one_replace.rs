//! Snippet 1: find, `amount++`, replace.

use overtake_recipes::store::documents::{Change, Filter, Op, Response, and, eq, inc, set};
use overtake_recipes::store::{Documents, Isolation, Value};
use overtake_recipes::{DataEnvironment, StoreError};

use super::{ITEMS, ScriptError, TOTALS, field_of};

/// As it stands on the slide. Lost update on the amount; whatever else was written since the read is undone as well; a missing
/// item is a TypeError; the result is not looked at.
pub async fn as_written<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    let mut item = field_of(docs.find_one(ITEMS, eq("guid", guid)).await?)?;
    item.set("amount", item.int("amount") + 1);
    docs.replace_one(ITEMS, eq("guid", guid), item).await?;
    Ok(true)
}

/// *Wrong:* the amount is read in one call and written in another. *Seen:* two customers add, one of them counts. *Cure:* `$inc`.
pub async fn lost_update<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    let Some(mut item) = docs.find_one(ITEMS, eq("guid", guid)).await? else { return Ok(false) };
    item.set("amount", item.int("amount") + 1);
    Ok(docs.replace_one(ITEMS, eq("guid", guid), item).await?.matched > 0)
}

/// *Wrong:* the amount is compared, but the whole document is replaced. *Seen:* a coupon that was written since the read is gone.
/// *Cure:* write what is meant: `$inc`.
pub async fn whole_document<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    loop {
        env.checkpoint("whole document: find", &[guid]);
        let Some(mut item) = docs.find_one(ITEMS, eq("guid", guid)).await? else { return Ok(false) };
        let seen = item.int("amount");
        item.set("amount", seen + 1);
        if docs.replace_one(ITEMS, and([eq("guid", guid), eq("amount", seen)]), item).await?.matched > 0 {
            return Ok(true);
        }
    }
}

/// *Wrong:* nobody asks whether the item was found. *Seen:* a TypeError when it was deleted. *Cure:* look at it.
pub async fn no_null_check<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    let item = field_of(docs.find_one(ITEMS, eq("guid", guid)).await?)?;
    let seen = item.text("guid");
    Ok(docs.update_one(ITEMS, eq("guid", seen), vec![inc("amount", 1)]).await?.matched > 0)
}

/// *Wrong:* the replace matches nothing when the item was deleted since the read, and nobody looks at the result. *Seen:* the customer is
/// told that it was added. *Cure:* look at `matched`.
pub async fn replaces_what_is_gone<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    let Some(mut item) = docs.find_one(ITEMS, eq("guid", guid)).await? else { return Ok(false) };
    item.set("amount", item.int("amount") + 1);
    docs.replace_one(ITEMS, eq("guid", guid), item).await?;
    Ok(true)
}

/// The repair of the slide. *Wrong:* the result is not looked at. *Seen:* the item was deleted, nothing is changed, and the customer
/// is told that it was added. *Cure:* look at `matched`.
pub async fn proposed<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    env.documents().update_one(ITEMS, eq("guid", guid), vec![inc("amount", 1)]).await?;
    Ok(true)
}

/// Adds one: whether there is such an item.
pub async fn repaired<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let added = env.documents().update_one(ITEMS, eq("guid", guid), vec![inc("amount", 1)]).await?;
    Ok(added.matched > 0)
}

/// *Wrong:* the slide's repair with −1 has no bound. *Seen:* two customers take the last one away, the amount is −1. *Cure:* the bound
/// belongs into the filter.
pub async fn take_without_bound<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    let left = docs.find_one(ITEMS, eq("guid", guid)).await?.map_or(0, |item| item.int("amount"));
    if left < 1 {
        return Ok(false);
    }
    Ok(docs.update_one(ITEMS, eq("guid", guid), vec![inc("amount", -1)]).await?.matched > 0)
}

/// Takes one away if there is one.
pub async fn take<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let there = and([eq("guid", guid), Filter::Gte("amount".into(), Value::Int(1))]);
    Ok(env.documents().update_one(ITEMS, there, vec![inc("amount", -1)]).await?.matched > 0)
}

/// *Wrong:* an amount of null is no number. *Seen:* `$inc` is refused. *Cure:* make it one first, on condition that it is null.
pub async fn null_amount<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    repaired(env, guid).await
}

/// Adds one, also where the amount is null.
pub async fn null_amount_repaired<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let none = and([eq("guid", guid), Filter::Eq("amount".into(), Value::Null)]);
    env.documents().update_one(ITEMS, none, vec![set("amount", 0)]).await?;
    repaired(env, guid).await
}

/// *Wrong:* the slide's repair is atomic for the item alone; the basket's total is another document. *Seen:* the process dies in between,
/// and the total does not fit. *Cure:* both in one transaction, or the total computed from the items.
pub async fn total_apart<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    if docs.update_one(ITEMS, eq("guid", guid), vec![inc("amount", 1)]).await?.matched == 0 {
        return Ok(false);
    }
    docs.update_one(TOTALS, Filter::All, vec![inc("total", 1)]).await?;
    Ok(true)
}

/// The same in one transaction.
pub async fn total_with_it<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    let add = |filter, field| Op::UpdateOne(filter, vec![inc(field, 1)], false);
    docs.within(1, ITEMS, Op::Begin(Isolation::ReadCommitted)).await?;
    if docs.within(1, ITEMS, add(eq("guid", guid), "amount")).await?.updated().matched == 0 {
        docs.within(1, ITEMS, Op::Abort).await?;
        return Ok(false);
    }
    docs.within(1, TOTALS, add(Filter::All, "total")).await?;
    docs.within(1, ITEMS, Op::Commit).await?;
    Ok(true)
}

/// *Wrong:* when no answer comes the `$inc` is sent again. *Seen:* it counts twice. *Cure:* an operation's number, or its id in the
/// document.
pub async fn sent_again<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    loop {
        env.checkpoint("sent again: update", &[guid]);
        match repaired(env, guid).await {
            Err(ScriptError::Store(StoreError::Unknown)) => {}
            other => return other,
        }
    }
}

/// The same with a number by which the server knows the write again (retryable writes).
pub async fn sent_again_by_number<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    loop {
        env.checkpoint("sent again by number: update", &[guid]);
        let add = Op::UpdateOne(eq("guid", guid), vec![inc("amount", 1)], false);
        match env.documents().retryable(1, ITEMS, add).await.map(Response::updated) {
            Err(StoreError::Unknown) => {}
            other => return Ok(other?.matched > 0),
        }
    }
}

/// The same with the operation's id in the document, for servers without retryable writes: the filter lets each in once.
pub async fn sent_again_by_id<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let (docs, id) = (env.documents(), env.unique_id());
    loop {
        env.checkpoint("sent again by id: update", &[guid, &id]);
        let new = and([eq("guid", guid), Filter::Ne("operations".into(), Value::from(&id))]);
        let changes = vec![inc("amount", 1), Change::Push("operations".into(), Value::from(&id))];
        match docs.update_one(ITEMS, new, changes).await {
            Err(StoreError::Unknown) => {}
            Ok(result) if result.matched > 0 => return Ok(true),
            Ok(_) => break,
            Err(error) => return Err(error.into()),
        }
    }
    // Either there is no such item, or the operation is in already.
    let mine = and([eq("guid", guid), Filter::Eq("operations".into(), Value::from(&id))]);
    loop {
        env.checkpoint("sent again by id: look", &[guid, &id]);
        match docs.find_one(ITEMS, mine.clone()).await {
            Err(StoreError::Unknown) => {}
            found => return Ok(found?.is_some()),
        }
    }
}
