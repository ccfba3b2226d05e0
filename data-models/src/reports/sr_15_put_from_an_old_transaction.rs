//! SR-15, dhis2/dhis2-core#24916: a second-level cache takes what an old transaction has loaded.
//!
//! *Mechanism:* C1 loads version 1 in a transaction; C2 commits version 2 and evicts the key; C1 puts what it has loaded. *Smallest
//! configuration:* 2 transactions, one key. *Source:* <https://github.com/dhis2/dhis2-core/pull/24916>. *Violated:* while no write is going
//! on, the cache has nothing or what the store has. *Repair:* a guard records evictions, puts of older transactions are refused, and
//! after the put the guard is looked at again and the own entry evicted. *Trap:* the look before the put alone: look and put are two steps.
//!
//! *Disputed:* with this repair the property holds at rest only. When the writer is done, the loader's stale put can be there and its second
//! look still be missing: no write is going on, and the cache is stale. So the property that is proved is weaker than the report's.
//!
//! Translated: the guard is a number in the hash table, which an eviction counts up before it deletes the key.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht as _};
use overtake_sim::program::Context;
use overtake_sim::stores::{Dht, Stores};

use super::cache::*;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P8";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Puts,
    LooksBefore,
    LooksBeforeAndAfter,
}

async fn evictions(ctx: &Context) -> Result<i64, StoreError> {
    Ok(get(ctx, "evictions").await?.data.as_int().unwrap_or(0))
}

async fn loader(ctx: Context, way: Way) -> Ended {
    let before = evictions(&ctx).await?;
    let value = load(&ctx).await?;
    if way >= Way::LooksBefore && evictions(&ctx).await? != before {
        ctx.mark("does not put");
        return Ok(());
    }
    put(&ctx, KEY, value).await?;
    ctx.mark("put");
    if way >= Way::LooksBeforeAndAfter && evictions(&ctx).await? != before {
        ctx.dht().del(KEY).await?;
        ctx.mark("evicts its own entry");
    }
    Ok(())
}

async fn writer(ctx: Context) -> Ended {
    store_two(&ctx).await?;
    ctx.dht().increment("evictions", 1).await?;
    ctx.dht().del(KEY).await.map(drop)
}

/// The faulty program, the trap, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, about: &str, way| {
        scenario(name)
            .about(about)
            .source("https://github.com/dhis2/dhis2-core/pull/24916")
            .stores(Stores { dht: Some(Dht::seed(1).with("evictions", 0)), ..documents(store()) })
            .client("loader", move |ctx| loader(ctx, way))
            .client("writer", writer)
            .properties([
                cache_is_absent_or_equal_at_rest("dhis2/dhis2-core#24916"),
                no_program_fails(),
                somebody_is(&["put"], "somebody puts"),
                everybody_is_done(),
            ])
    };
    let repaired = "SR-15 put from an old transaction, repaired";
    vec![
        world(
            "SR-15 put from an old transaction",
            "A transaction puts what it has loaded into the cache, after another has committed and evicted the key.",
            Way::Puts,
        )
        .breaks("at rest, the cache has nothing or what the store has")
        .fixed_by(repaired),
        world(
            "SR-15 put from an old transaction, trap: a look before the put",
            "A transaction looks whether the key was evicted since it has begun. The eviction comes between that look and the put.",
            Way::LooksBefore,
        )
        .breaks("at rest, the cache has nothing or what the store has")
        .fixed_by(repaired),
        world(repaired, "A transaction looks before and after its put, and takes its entry back.", Way::LooksBeforeAndAfter)
            .properties([
                somebody_is(&["does not put"], "somebody does not put"),
                somebody_is(&["evicts its own entry"], "somebody takes its entry back"),
            ]),
    ]
}
