//! SR-06, utopia-php/cache#79: a valid lease does not help when the row is read from a replica that lags.
//!
//! *Mechanism:* C2 writes the primary and purges the cache. C1 takes its lease after the purge, but reads a replica that lags behind: the lease is
//! valid, and a stale row is cached. *Smallest configuration:* 2 clients, primary, replica and cache. *Source:*
//! <https://github.com/utopia-php/cache/pull/79>. *Violated:* while no write is going on, the cache has nothing or what the primary has.
//! *Repair:* the primary is read. *Trap:* fills are refused for a grace time after a purge: a replica may lag for longer.
//!
//! Translated: the grace time is a tombstone that expires; the untimed search lets it expire at any moment.

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration, Updated};
use overtake_sim::program::Context;
use overtake_sim::stores::{Dht, Stores};
use std::time::Duration;

use super::cache::*;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P8";

#[derive(Clone, Copy, Debug)]
struct Way {
    grace: bool,
    primary: bool,
}

async fn reader(ctx: Context, way: Way) -> Ended {
    if cached(&ctx).await?.is_some() {
        return Ok(());
    }
    let version = lease(&ctx).await?;
    let value = if way.primary { load(&ctx).await? } else { load_at_replica(&ctx).await? };
    let Some(version) = version else {
        ctx.mark("does not fill");
        return Ok(());
    };
    let filled = ctx.dht().update(KEY, value.into(), version).await? == Updated::Stored;
    ctx.mark(if filled { "filled" } else { "does not fill" });
    Ok(())
}

async fn writer(ctx: Context, way: Way) -> Ended {
    in_flight(&ctx, async {
        store_two(&ctx).await?;
        match way.grace {
            true => ctx.dht().set(KEY, "purged".into(), Expiration::After(Duration::from_secs(10))).await,
            false => ctx.dht().del(KEY).await.map(drop),
        }
    })
    .await
}

/// The faulty program, the trap, and the repaired programs.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, about: &str, grace, primary| {
        let way = Way { grace, primary };
        scenario(name)
            .about(about)
            .source("https://github.com/utopia-php/cache/pull/79")
            .stores(Stores { dht: Some(Dht::memcached(1)), ..documents(store().with_replica()) })
            .client("reader", move |ctx| reader(ctx, way))
            .client("writer", move |ctx| writer(ctx, way))
            .properties([
                cache_is_absent_or_equal("utopia-php/cache#79"),
                no_program_fails(),
                somebody_is(&["filled"], "somebody fills the cache"),
                somebody_is(&["does not fill"], "somebody does not fill"),
                everybody_is_done(),
            ])
    };
    let lags = "A reader takes its lease after the purge, and reads a replica that does not have the write yet.";
    vec![
        world("SR-06 valid lease, lagging replica", lags, false, false)
            .breaks("the cache has nothing or what the store has")
            .fixed_by("SR-06 valid lease, lagging replica, repaired"),
        world(
            "SR-06 valid lease, lagging replica, repaired",
            "A reader takes its lease and reads the primary.",
            false,
            true,
        ),
        world(
            "SR-06 valid lease, lagging replica, trap: a grace time",
            "A purge forbids fills for a while. The replica lags for longer.",
            true,
            false,
        )
        .key_expiries(1)
        .breaks("the cache has nothing or what the store has")
        .fixed_by("SR-06 valid lease, lagging replica, repaired beside a grace time"),
        world(
            "SR-06 valid lease, lagging replica, repaired beside a grace time",
            "A purge forbids fills for a while, and the primary is read.",
            true,
            true,
        )
        .key_expiries(1),
    ]
}
