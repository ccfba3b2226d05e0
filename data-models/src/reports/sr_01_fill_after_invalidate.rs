//! SR-01, hazelcast/hazelcast#5459: a near cache is filled with what was read before it was invalidated.
//!
//! *Mechanism:* C1 misses and reads version 1 from the store; C2 writes version 2 and invalidates the cache; C1 puts version 1 into it: stale
//! without end. *Smallest configuration:* 2 clients, the cache's key and the store's. *Source:*
//! <https://github.com/hazelcast/hazelcast/pull/5459>, <https://github.com/hazelcast/hazelcast/issues/4671>. *Violated:* while no write is
//! going on, the cache has nothing or what the store has. *Repair:* a permit is taken at the miss, and revoked by the invalidation.
//!
//! Translated: the permit is an item in the place of the key, and filling is an update of that very item.

use overtake_recipes::store::{DataEnvironment, Dht as _, Updated};
use overtake_sim::program::Context;

use super::cache::*;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P8";

async fn reader(ctx: Context, permits: bool) -> Ended {
    if cached(&ctx).await?.is_some() {
        return Ok(());
    }
    if !permits {
        let value = load(&ctx).await?;
        put(&ctx, KEY, value).await?;
        ctx.mark("filled");
        return Ok(());
    }
    let permit = lease(&ctx).await?;
    let value = load(&ctx).await?;
    if let Some(version) = permit {
        let filled = ctx.dht().update(KEY, value.into(), version).await? == Updated::Stored;
        ctx.mark(if filled { "filled" } else { "revoked" });
    }
    Ok(())
}

async fn writer(ctx: Context) -> Ended {
    in_flight(&ctx, async {
        store_two(&ctx).await?;
        ctx.dht().del(KEY).await.map(drop)
    })
    .await
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, permits| {
        scenario(name)
            .about("A reader misses, reads the store, and fills the cache after a writer has written and invalidated.")
            .source("https://github.com/hazelcast/hazelcast/pull/5459")
            .stores(stores())
            .client("reader", move |ctx| reader(ctx, permits))
            .client("writer", writer)
            .properties([
                cache_is_absent_or_equal("hazelcast/hazelcast#5459"),
                no_program_fails(),
                somebody_is(&["filled"], "somebody fills the cache"),
                everybody_is_done(),
            ])
    };
    vec![
        world("SR-01 fill after invalidate", false)
            .breaks("the cache has nothing or what the store has")
            .fixed_by("SR-01 fill after invalidate, repaired"),
        world("SR-01 fill after invalidate, repaired", true)
            .property(somebody_is(&["revoked"], "somebody's permit is revoked")),
    ]
}
