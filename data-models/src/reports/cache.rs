//! A cache in front of a store, as many of the reports have it: a row of a document store, and a key of a hash table that holds what
//! was read of it. What is wrong stands in the reports.

use overtake_recipes::store::documents::{Op, set};
use overtake_recipes::store::{DataEnvironment, Dht as _, Documents as _, Version, doc};
use overtake_recipes::{Environment, StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::{Dht, Documents, Stores};
use overtake_sim::world::View;

use super::see;
use super::steps::*;
use crate::property::Property;

/// The key of the cache.
pub const KEY: &str = "row";

/// The store holds 1, the cache nothing.
pub fn stores() -> Stores {
    Stores { dht: Some(Dht::memcached(1)), ..documents(store()) }
}

/// A row that holds 1.
pub fn store() -> Documents {
    Documents::new().with("rows", doc([("_id", "row".into()), ("value", 1.into())]))
}

/// What the row holds.
pub async fn load(ctx: &Context) -> Result<i64, StoreError> {
    Ok(read(ctx, "rows", "row").await?.int("value"))
}

/// What the row holds at a replica.
pub async fn load_at_replica(ctx: &Context) -> Result<i64, StoreError> {
    let row = ctx.documents().at_replica("rows", Op::FindOne(by_id("row"))).await?.document();
    Ok(row.map_or(0, |row| row.int("value")))
}

/// Writes 2 into the row.
pub async fn store_two(ctx: &Context) -> Ended {
    change(ctx, "rows", by_id("row"), vec![set("value", 2)]).await.map(drop)
}

/// A write of the row and of what follows from it for the cache: in flight from its first call to its last answer.
pub async fn in_flight(ctx: &Context, write: impl Future<Output = Ended>) -> Ended {
    ctx.mark("writes");
    write.await?;
    ctx.unmark("writes");
    Ok(())
}

/// What is cached: `Ok(None)` when there is nothing, or no number.
pub async fn cached(ctx: &Context) -> Result<Option<i64>, StoreError> {
    Ok(ctx.dht().get(KEY).await?.and_then(|item| item.data.as_int()))
}

/// Takes a lease for filling the cache after a miss: an item of its own in the key's place. `None` when something else is there.
pub async fn lease(ctx: &Context) -> Result<Option<Version>, StoreError> {
    let me = Value::from(ctx.unique_id());
    if !ctx.dht().put(KEY, me.clone(), overtake_recipes::store::Expiration::Never).await? {
        return Ok(None);
    }
    // The version comes with a read.
    Ok(ctx.dht().get(KEY).await?.filter(|item| item.data == me).map(|item| item.version))
}

fn absent_or_equal(view: &View<'_>) -> Result<(), String> {
    let stored = see::one(view, "rows", "row").at("value").cloned();
    let cached = see::data(view, KEY);
    see::kept(cached.as_int().is_none() || Some(&cached) == stored.as_ref(), || {
        let stored = stored.map_or("nothing".into(), |value| value.to_string());
        format!("the cache has {cached}, and the store has {stored}")
    })
}

/// While no write is [`in_flight`], the cache has nothing of the row, or what the row holds. Source: the reports of a cache that is
/// filled after a miss. A fill is no write: the cache may not be stale for a moment because of one.
pub fn cache_is_absent_or_equal(source: &'static str) -> Property {
    Property::always("the cache has nothing or what the store has", source, |view| {
        if see::marked(view, "writes") > 0 { Ok(()) } else { absent_or_equal(view) }
    })
}

/// The same of a world at rest only: a stale entry that somebody is about to take back is allowed.
pub fn cache_is_absent_or_equal_at_rest(source: &'static str) -> Property {
    Property::at_rest("at rest, the cache has nothing or what the store has", source, absent_or_equal)
}
