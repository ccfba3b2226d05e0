//! Snippet 3: find by the item, then update or insert.

use overtake_recipes::store::documents::{Change, Filter, Op, Returning, and, eq, inc, set};
use overtake_recipes::store::{Documents, Value, doc};
use overtake_recipes::{DataEnvironment, StoreError};

use super::{ITEMS, ITEMS_MISSPELT, ScriptError};

fn row(guid: &str, item_id: &str) -> Value {
    doc([("guid", guid.into()), ("itemId", item_id.into()), ("amount", 1.into())])
}

/// As it stands on the slide, `item` read as `basketItem`: two customers both insert; the plain document replaces the row.
pub async fn as_written<E: DataEnvironment>(env: &E, item_id: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    match docs.find_one(ITEMS, eq("itemId", item_id)).await? {
        Some(item) => {
            let plain = doc([("amount", (item.int("amount") + 1).into())]);
            docs.run(ITEMS, Op::LegacyUpdate(eq("guid", item.text("guid")), plain, false)).await?;
        }
        None => drop(docs.insert(ITEMS, row(&env.unique_id(), item_id)).await?),
    }
    Ok(true)
}

/// *Wrong:* the document is `basketItem`, what is read is `item`, which is nowhere. *Seen:* the second customer meets a
/// ReferenceError. *Cure:* the right name.
pub async fn wrong_variable<E: DataEnvironment>(env: &E, item_id: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    match docs.find_one(ITEMS, eq("itemId", item_id)).await? {
        Some(_basket_item) => Err(ScriptError::ReferenceError("item")),
        None => {
            docs.insert(ITEMS, row(&env.unique_id(), item_id)).await?;
            Ok(true)
        }
    }
}

/// *Wrong:* find, then insert. *Seen:* both see nothing, both insert. *Cure:* an upsert with a unique index.
pub async fn check_then_insert<E: DataEnvironment>(env: &E, item_id: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    if docs.find_one(ITEMS, eq("itemId", item_id)).await?.is_some() {
        return Ok(docs.update_one(ITEMS, eq("itemId", item_id), vec![inc("amount", 1)]).await?.matched > 0);
    }
    docs.insert(ITEMS, row(&env.unique_id(), item_id)).await?;
    Ok(true)
}

/// *Wrong:* no operator: `{amount: …}` replaces the row. *Seen:* guid and itemId are gone. *Cure:* `$inc`.
pub async fn without_operator<E: DataEnvironment>(env: &E, item_id: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    let Some(item) = docs.find_one(ITEMS, eq("itemId", item_id)).await? else { return Ok(false) };
    let same = and([eq("guid", item.text("guid")), eq("amount", item.int("amount"))]);
    let plain = doc([("amount", (item.int("amount") + 1).into())]);
    let answer = docs.run(ITEMS, Op::LegacyUpdate(same, plain, false)).await?;
    Ok(answer.updated().matched > 0)
}

/// *Wrong:* in the branch that updates, the amount comes from the read. *Seen:* an update is lost. *Cure:* `$inc`.
pub async fn lost_update<E: DataEnvironment>(env: &E, item_id: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    let Some(item) = docs.find_one(ITEMS, eq("itemId", item_id)).await? else { return Ok(false) };
    let more = vec![set("amount", item.int("amount") + 1)];
    Ok(docs.update_one(ITEMS, eq("guid", item.text("guid")), more).await?.matched > 0)
}

/// *Wrong:* the row may be deleted between the look and the update, and the result is not looked at. *Seen:* the customer is told that it
/// was added. *Cure:* look at `matched`.
pub async fn deleted_between<E: DataEnvironment>(env: &E, item_id: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    let Some(item) = docs.find_one(ITEMS, eq("itemId", item_id)).await? else { return Ok(false) };
    docs.update_one(ITEMS, eq("guid", item.text("guid")), vec![inc("amount", 1)]).await?;
    Ok(true)
}

/// The same, looking at the result.
pub async fn deleted_between_repaired<E: DataEnvironment>(env: &E, item_id: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    let Some(item) = docs.find_one(ITEMS, eq("itemId", item_id)).await? else { return Ok(false) };
    Ok(docs.update_one(ITEMS, eq("guid", item.text("guid")), vec![inc("amount", 1)]).await?.matched > 0)
}

/// *Wrong:* looks by the item alone. *Seen:* the row of another customer's basket is raised. *Cure:* the basket belongs into the filter
/// and into the index.
pub async fn any_basket<E: DataEnvironment>(env: &E, basket: &str, item_id: &str) -> Result<bool, ScriptError> {
    let new = Change::SetOnInsert("basketId".into(), basket.into());
    env.documents().upsert_one(ITEMS, eq("itemId", item_id), vec![inc("amount", 1), new]).await?;
    Ok(true)
}

/// The same with the basket in the filter; needs a unique index on both.
pub async fn own_basket<E: DataEnvironment>(env: &E, basket: &str, item_id: &str) -> Result<bool, ScriptError> {
    let mine = and([eq("basketId", basket), eq("itemId", item_id)]);
    env.documents().upsert_one(ITEMS, mine, vec![inc("amount", 1)]).await?;
    Ok(true)
}

fn add(guid: String) -> Vec<Change> {
    vec![inc("amount", 1), Change::SetOnInsert("guid".into(), guid.into())]
}

/// The slide's repair, its collection spelt right: an upsert. It holds with a unique index on exactly `itemId`; without one two
/// customers insert two rows.
pub async fn upsert<E: DataEnvironment>(env: &E, item_id: &str) -> Result<bool, ScriptError> {
    env.documents().upsert_one(ITEMS, eq("itemId", item_id), add(env.unique_id())).await?;
    Ok(true)
}

/// *Wrong:* the slide's repair says `basketitems`. *Seen:* the baskets stay as they were. *Cure:* the right name.
pub async fn misspelt<E: DataEnvironment>(env: &E, item_id: &str) -> Result<bool, ScriptError> {
    env.documents().upsert_one(ITEMS_MISSPELT, eq("itemId", item_id), add(env.unique_id())).await?;
    Ok(true)
}

/// *Wrong:* the filter holds more than the index. *Seen:* the server's own retry does not apply, and the clash reaches the caller.
/// *Cure:* only the index's fields in the filter, or catch it and go again.
pub async fn more_in_the_filter<E: DataEnvironment>(env: &E, item_id: &str) -> Result<bool, ScriptError> {
    let active = and([eq("itemId", item_id), eq("deleted", false)]);
    env.documents().upsert_one(ITEMS, active, add(env.unique_id())).await?;
    Ok(true)
}

/// The same; a clash means that there is a row by now, so it goes again.
pub async fn more_in_the_filter_repaired<E: DataEnvironment>(env: &E, item_id: &str) -> Result<bool, ScriptError> {
    let guid = env.unique_id();
    loop {
        env.checkpoint("more in the filter: upsert", &[item_id, &guid]);
        let active = and([eq("itemId", item_id), eq("deleted", false)]);
        match env.documents().upsert_one(ITEMS, active, add(guid.clone())).await {
            Err(StoreError::DuplicateKey) => {}
            other => return Ok(other.map(|_| true)?),
        }
    }
}

/// *Wrong:* the caller takes the guid that it has made for the row's. *Seen:* somebody else's insert won; the guid leads nowhere.
/// *Cure:* find and modify, which answers the row.
pub async fn takes_its_guid_for_the_row<E: DataEnvironment>(env: &E, item_id: &str) -> Result<String, ScriptError> {
    let guid = env.unique_id();
    env.documents().upsert_one(ITEMS, eq("itemId", item_id), add(guid.clone())).await?;
    Ok(guid)
}

/// Adds one and answers the row's guid.
pub async fn answers_the_guid<E: DataEnvironment>(env: &E, item_id: &str) -> Result<String, ScriptError> {
    let changes = add(env.unique_id());
    let op = Op::FindAndModify(eq("itemId", item_id), None, changes, Returning::After, true);
    let row = env.documents().run(ITEMS, op).await?.document();
    Ok(row.map_or(String::new(), |row| row.text("guid").to_owned()))
}

/// *Wrong:* a customer who has the row open raises it by an upsert. *Seen:* another has deleted it, and it is alive again, with nothing
/// in it but what the upsert says. *Cure:* who changes a row that he has seen does not insert.
pub async fn raises_by_upsert<E: DataEnvironment>(env: &E, item_id: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    if docs.find_one(ITEMS, eq("itemId", item_id)).await?.is_none() {
        return Ok(false);
    }
    docs.upsert_one(ITEMS, eq("itemId", item_id), vec![inc("amount", 1)]).await?;
    Ok(true)
}

/// The same without inserting.
pub async fn raises_what_is_there<E: DataEnvironment>(env: &E, item_id: &str) -> Result<bool, ScriptError> {
    let docs = env.documents();
    if docs.find_one(ITEMS, eq("itemId", item_id)).await?.is_none() {
        return Ok(false);
    }
    Ok(docs.update_one(ITEMS, eq("itemId", item_id), vec![inc("amount", 1)]).await?.matched > 0)
}

/// *Wrong:* no answer came, so the upsert is sent again. *Seen:* it counts twice. *Cure:* as in snippet 1.
pub async fn sent_again<E: DataEnvironment>(env: &E, item_id: &str) -> Result<bool, ScriptError> {
    let guid = env.unique_id();
    loop {
        env.checkpoint("upsert sent again", &[item_id, &guid]);
        match env.documents().upsert_one(ITEMS, eq("itemId", item_id), add(guid.clone())).await {
            Err(StoreError::Unknown) => {}
            other => return Ok(other.map(|_| true)?),
        }
    }
}

/// The same by a number that the server knows again.
pub async fn sent_again_by_number<E: DataEnvironment>(env: &E, item_id: &str) -> Result<bool, ScriptError> {
    let guid = env.unique_id();
    loop {
        env.checkpoint("upsert sent again by number", &[item_id, &guid]);
        let op = Op::UpdateOne(eq("itemId", item_id), add(guid.clone()), true);
        match env.documents().retryable(1, ITEMS, op).await {
            Err(StoreError::Unknown) => {}
            other => return Ok(other.map(|_| true)?),
        }
    }
}

/// Takes the row away; answers the amount that was in it.
pub async fn delete<E: DataEnvironment>(env: &E, filter: Filter) -> Result<Option<i64>, ScriptError> {
    let row = env.documents().run(ITEMS, Op::FindAndDelete(filter, None)).await?.document();
    Ok(row.map(|row| row.int("amount")))
}
