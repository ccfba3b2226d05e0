//! EX-08, alibaba/jetcache#25 (the same: elasticsearch#26516, caffeine#26): an expired entry is absent for a read, and present for a
//! put-if-absent.
//!
//! *Mechanism:* the entry has expired and is not collected. A read answers that there is none. Put-if-absent is refused. *Smallest
//! configuration:* 1 client, 1 key, the clock, lazy expiry. *Source:* <https://github.com/alibaba/jetcache/issues/25>,
//! <https://github.com/elastic/elasticsearch/pull/26516>, <https://github.com/ben-manes/caffeine/issues/26>. *Violated:* a read that finds
//! nothing, and no write since, and put-if-absent succeeds. *Repair:* what has expired is absent for every operation.
//!
//! Translated: the cache is a library over a table. Its entries carry their deadline, and are not collected. The clock is a key, and a client
//! that lets it tick.

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration, Item, Updated, doc};
use overtake_recipes::{StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P20";

fn entry(value: &'static str, deadline: i64) -> Value {
    doc([("value", value.into()), ("deadline", deadline.into())])
}

/// The entry as it lies there, and whether it has expired.
async fn look(ctx: &Context) -> Result<Option<(Item, bool)>, StoreError> {
    let now = get(ctx, "clock").await?.data.as_int().unwrap_or(0);
    Ok(ctx.dht().get("entry").await?.map(|item| (item.clone(), item.data.int("deadline") <= now)))
}

async fn read(ctx: &Context) -> Result<Option<Value>, StoreError> {
    Ok(look(ctx).await?.filter(|(_, expired)| !expired).map(|(item, _)| item.data))
}

async fn put_if_absent(ctx: &Context, value: Value, sees_expiry: bool) -> Result<bool, StoreError> {
    let dht = ctx.dht();
    if sees_expiry && let Some((item, true)) = look(ctx).await? {
        return Ok(dht.update("entry", value, item.version).await? == Updated::Stored);
    }
    dht.put("entry", value, Expiration::Never).await
}

async fn client(ctx: Context, sees_expiry: bool) -> Ended {
    if read(&ctx).await?.is_none() {
        match put_if_absent(&ctx, entry("new", 9), sees_expiry).await? {
            true => ctx.mark("put"),
            false => ctx.mark("was refused by nothing"),
        }
    }
    Ok(())
}

async fn clock(ctx: Context) -> Ended {
    put(&ctx, "clock", 1).await
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, sees_expiry| {
        scenario(name)
            .about("A client reads that there is no entry, and puts one if there is none. An entry that has expired is in the way.")
            .source("https://github.com/alibaba/jetcache/issues/25")
            .stores(Dht::seed(1).with("clock", 0).with("entry", entry("old", 1)).into())
            .client("client", move |ctx| client(ctx, sees_expiry))
            .client("clock", clock)
            .properties([
                see::at_most(
                    0,
                    &["was refused by nothing"],
                    "put-if-absent succeeds where a read finds nothing",
                    "alibaba/jetcache#25",
                ),
                no_program_fails(),
                Property::sometimes("the entry has expired when it is read", |view| view.client(0).marks().next().is_some()),
                everybody_is_done(),
            ])
    };
    vec![
        world("EX-08 expired entry in the way", false)
            .breaks("put-if-absent succeeds where a read finds nothing")
            .fixed_by("EX-08 expired entry in the way, repaired"),
        world("EX-08 expired entry in the way, repaired", true),
    ]
}
