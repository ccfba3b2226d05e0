//! Snippet 2: find, then `$set` the amount to one more than *another* variable's.

use overtake_recipes::DataEnvironment;
use overtake_recipes::store::documents::{Filter, and, eq, set};
use overtake_recipes::store::{Documents, Value};

use super::{ITEMS, ScriptError, field_of};

/// As it stands on the slide: the document is `basketItem`, what is read is `item`. There is no such variable, or, worse, an
/// outer one of that name.
pub async fn as_written<E: DataEnvironment>(env: &E, guid: &str, item: Option<&Value>) -> Result<bool, ScriptError> {
    let docs = env.documents();
    let _basket_item = docs.find_one(ITEMS, eq("guid", guid)).await?;
    let item = item.ok_or(ScriptError::ReferenceError("item"))?;
    docs.update_one(ITEMS, eq("guid", guid), vec![set("amount", item.int("amount") + 1)]).await?;
    Ok(true)
}

/// *Wrong:* the amount is read in one call and set in another. *Seen:* two customers add, one of them counts; other fields are left
/// alone, unlike with a replace. *Cure:* `$inc`, as in snippet 1.
pub async fn lost_update<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    let item = field_of(docs.find_one(ITEMS, eq("guid", guid)).await?)?;
    let more = vec![set("amount", item.int("amount") + 1)];
    Ok(docs.update_one(ITEMS, eq("guid", guid), more).await?.matched > 0)
}

/// The item, if its amount is still that.
fn unchanged(guid: &str, amount: i64) -> Filter {
    and([eq("guid", guid), eq("amount", amount)])
}

/// *Wrong:* the amount is compared, but nobody asks whether the item was found. *Seen:* a TypeError when it was deleted. *Cure:* look
/// at it.
pub async fn no_null_check<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    loop {
        env.checkpoint("set, no null check: find", &[guid]);
        let seen = field_of(docs.find_one(ITEMS, eq("guid", guid)).await?)?.int("amount");
        let more = vec![set("amount", seen + 1)];
        if docs.update_one(ITEMS, unchanged(guid, seen), more).await?.matched > 0 {
            return Ok(true);
        }
    }
}

/// *Wrong:* the amount is compared, but nobody looks at the result. *Seen:* the item was deleted or has another amount, nothing is set, and
/// the customer is told that it was added. *Cure:* look at `matched`.
pub async fn result_ignored<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    let Some(item) = docs.find_one(ITEMS, eq("guid", guid)).await? else { return Ok(false) };
    let seen = item.int("amount");
    docs.update_one(ITEMS, unchanged(guid, seen), vec![set("amount", seen + 1)]).await?;
    Ok(true)
}

/// Adds one by `$set`: compares the amount, looks at what was found and at the result, and goes again. What `$inc` does in one call.
pub async fn compared<E: DataEnvironment>(env: &E, guid: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    loop {
        env.checkpoint("set, compared: find", &[guid]);
        let Some(item) = docs.find_one(ITEMS, eq("guid", guid)).await? else { return Ok(false) };
        let seen = item.int("amount");
        if docs.update_one(ITEMS, unchanged(guid, seen), vec![set("amount", seen + 1)]).await?.matched > 0 {
            return Ok(true);
        }
    }
}
