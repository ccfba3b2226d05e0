//! Snippet 2: find, then `$set` the amount to one more than *another* variable's.

use overtake_recipes::DataEnvironment;
use overtake_recipes::store::documents::{eq, set};
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
