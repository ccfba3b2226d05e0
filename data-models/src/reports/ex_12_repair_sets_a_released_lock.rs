//! EX-12, oaeproject/Hilary#793 (the same window: errorception/redis-lock#4, kenn/redis-mutex#6): a repair sets a lock that was just released.
//!
//! *Mechanism:* C2 reads that the lock is held. C1 releases it. C2 reads the time to live: "none", which is also the answer for a lock that is not
//! there; it repairs the lock by setting it with one. Nobody holds it, and it is set until it expires. *Smallest configuration:* 2 clients, 1 key.
//! *Source:* <https://github.com/oaeproject/Hilary/pull/793>, <https://github.com/errorception/redis-lock/pull/4>,
//! <https://github.com/kenn/redis-mutex/pull/6>. *Violated:* where a lock is set, some client is between acquire and release. *Repair:*
//! read value and time to live in one step, and change what was read.
//!
//! Translated from Redis: the time to live is a field of the lock. Its holder sets it in a second call, which is what the repair is for.

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration, Item, doc};
use overtake_recipes::{StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P20";

fn lock(life: i64) -> Value {
    doc([("life", life.into())])
}

/// The time to live; 0 when the lock has none, and when there is no lock.
async fn life(ctx: &Context) -> Result<i64, StoreError> {
    Ok(ctx.dht().get("lock").await?.map_or(0, |lock| lock.data.int("life")))
}

/// Gives a lock that has none a time to live.
async fn repair(ctx: &Context, in_one: bool) -> Ended {
    let dht = ctx.dht();
    if in_one {
        return match dht.get("lock").await? {
            Some(Item { data, version }) if data.int("life") == 0 => {
                dht.update("lock", lock(10), version).await.map(drop)
            }
            _ => Ok(()),
        };
    }
    if life(ctx).await? == 0 {
        put(ctx, "lock", lock(10)).await?;
        ctx.mark("repaired");
    }
    Ok(())
}

/// Takes the lock in two calls, works, releases it.
async fn holder(ctx: Context) -> Ended {
    ctx.mark("is between acquire and release");
    if ctx.dht().put("lock", lock(0), Expiration::Never).await? {
        if let Some(Item { version, .. }) = ctx.dht().get("lock").await? {
            ctx.dht().update("lock", lock(10), version).await?;
        }
        ctx.work("work").await;
        ctx.dht().del("lock").await?;
    }
    ctx.unmark("is between acquire and release");
    Ok(())
}

/// Tries once; if the lock is held, it looks whether it needs repair.
async fn other(ctx: Context, in_one: bool) -> Ended {
    ctx.mark("is between acquire and release");
    if ctx.dht().put("lock", lock(10), Expiration::Never).await? {
        ctx.dht().del("lock").await?;
    } else {
        ctx.mark("finds the lock held");
        repair(&ctx, in_one).await?;
    }
    ctx.unmark("is between acquire and release");
    Ok(())
}

fn a_set_lock_has_a_holder() -> Property {
    Property::always("a lock that is set has a holder", "oaeproject/Hilary#793", |view| {
        let held = see::marked(view, "is between acquire and release") > 0;
        see::kept(held || hash_table(view).item("lock").is_none(), || {
            "the lock is set, and nobody is about to release it".into()
        })
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, in_one| {
        scenario(name)
            .about("A client finds the lock held, and gives it a time to live in case its holder has died before doing so. Meanwhile the holder \
                    has released it.")
            .source("https://github.com/oaeproject/Hilary/pull/793")
            .stores(Dht::seed(1).into())
            .client("holder", holder)
            .client("other", move |ctx| other(ctx, in_one))
            .properties([
                a_set_lock_has_a_holder(),
                no_program_fails(),
                somebody_is(&["finds the lock held"], "somebody finds the lock held"),
                everybody_is_done(),
            ])
    };
    vec![
        world("EX-12 repair sets a released lock", false)
            .breaks("a lock that is set has a holder")
            .fixed_by("EX-12 repair sets a released lock, repaired"),
        world("EX-12 repair sets a released lock, repaired", true),
    ]
}
