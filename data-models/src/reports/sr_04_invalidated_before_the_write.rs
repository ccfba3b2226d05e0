//! SR-04, duomark/epocxy#43: the cache is invalidated before the store is written.
//!
//! *Mechanism:* C2 deletes the entry, C1 misses and reads the old value, C2 writes the store, C1 inserts the old value. *Smallest
//! configuration:* 2 clients, two keys. *Source:* <https://github.com/duomark/epocxy/issues/43>. *Violated:* while no write is going on, the
//! cache has nothing or what the store has. *Repair:* invalidate after the write, and compare versions on insert. *Traps* (own analysis):
//! either half alone.
//!
//! Translated: the value is its own version (it only increases). An invalidation that leaves its version behind is an item that says so.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration, Updated, doc};
use overtake_sim::program::Context;

use super::cache::*;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P8";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Way {
    after: bool,
    compares: bool,
}

/// Inserts what is newer than what is there or was invalidated.
async fn insert(ctx: &Context, value: i64) -> Result<bool, StoreError> {
    loop {
        let done = match ctx.dht().get(KEY).await? {
            None => ctx.dht().put(KEY, value.into(), Expiration::Never).await?,
            Some(item) => {
                let there = item.data.as_int().unwrap_or_else(|| item.data.int("invalid below"));
                if there > value {
                    return Ok(false);
                }
                ctx.dht().update(KEY, value.into(), item.version).await? == Updated::Stored
            }
        };
        if done {
            return Ok(true);
        }
    }
}

async fn reader(ctx: Context, way: Way) -> Ended {
    if cached(&ctx).await?.is_some() {
        return Ok(());
    }
    let value = load(&ctx).await?;
    let filled = match way.compares {
        true => insert(&ctx, value).await?,
        false => put(&ctx, KEY, value).await.map(|()| true)?,
    };
    ctx.mark(if filled { "filled" } else { "too old" });
    Ok(())
}

async fn invalidate(ctx: &Context, way: Way) -> Ended {
    match (way.compares, way.after) {
        // The version that is coming is not known before the write.
        (true, false) => put(ctx, KEY, doc([("invalid below", 1.into())])).await,
        (true, true) => put(ctx, KEY, doc([("invalid below", 2.into())])).await,
        (false, _) => ctx.dht().del(KEY).await.map(drop),
    }
}

async fn writer(ctx: Context, way: Way) -> Ended {
    in_flight(&ctx, async {
        if !way.after {
            invalidate(&ctx, way).await?;
        }
        store_two(&ctx).await?;
        if way.after {
            invalidate(&ctx, way).await?;
        }
        Ok(())
    })
    .await
}

/// The faulty program, the halves of its repair, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, about: &str, after, compares| {
        let way = Way { after, compares };
        scenario(name)
            .about(about)
            .source("https://github.com/duomark/epocxy/issues/43")
            .stores(stores())
            .client("reader", move |ctx| reader(ctx, way))
            .client("writer", move |ctx| writer(ctx, way))
            .properties([
                cache_is_absent_or_equal("duomark/epocxy#43"),
                no_program_fails(),
                somebody_is(&["filled"], "somebody fills the cache"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    let repaired = "SR-04 invalidated before the write, repaired";
    vec![
        world(
            "SR-04 invalidated before the write",
            "A reader misses and reads between a writer's invalidation and its write.",
            false,
            false,
        )
        .breaks("the cache has nothing or what the store has")
        .fixed_by(repaired),
        world(
            "SR-04 invalidated before the write, trap: the order alone",
            "The writer invalidates after its write, and the reader inserts what it has read before.",
            true,
            false,
        )
        .breaks("the cache has nothing or what the store has")
        .fixed_by(repaired),
        world(
            "SR-04 invalidated before the write, trap: the versions alone",
            "The reader compares with what the writer has left before its write.",
            false,
            true,
        )
        .breaks("the cache has nothing or what the store has")
        .fixed_by(repaired),
        world(repaired, "The writer leaves the new version behind its write, and the reader compares.", true, true)
            .property(somebody_is(&["too old"], "somebody has something too old")),
    ]
}
