//! SR-05, Basekick-Labs/arc#499: the entry of a deleted row is cached again.
//!
//! *Mechanism:* C1 misses and reads the row; C2 deletes the row and the entry; C1 checks once more that the key is absent, which cannot tell
//! deleted from never cached, and fills. *Smallest configuration:* 2 threads, two keys. *Source:*
//! <https://github.com/Basekick-Labs/arc/issues/499>. *Violated:* at rest, what the cache has is what the store has. *Repair:* a generation
//! of the cache, counted up by each delete and compared in the fill.
//!
//! Translated: the cache is a map under a mutex, so each call on it is one step: a document with the generation and the entry.

use overtake_recipes::Value;
use overtake_recipes::store::documents::{Change, and, eq, inc, set};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;

use super::cache::{load, store};
use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P8";

async fn reader(ctx: Context, generations: bool) -> Ended {
    let cache = read(&ctx, "cache", "c").await?;
    if cache.at("entry").is_some() {
        return Ok(());
    }
    let value = load(&ctx).await?;
    if value == 0 {
        ctx.mark("finds no row");
        return Ok(());
    }
    let still = match generations {
        true => eq("generation", cache.int("generation")),
        false => eq("entry", Value::Null),
    };
    let filled = change(&ctx, "cache", and([by_id("c"), still]), vec![set("entry", value)]).await?;
    ctx.mark(if filled { "filled" } else { "does not fill" });
    Ok(())
}

async fn deleter(ctx: Context) -> Ended {
    ctx.documents().delete_one("rows", by_id("row")).await?;
    change(&ctx, "cache", by_id("c"), vec![Change::Unset("entry".into()), inc("generation", 1)]).await.map(drop)
}

fn cached_is_stored() -> Property {
    Property::at_rest("what is cached is stored", "Basekick-Labs/arc#499", |view| {
        let (entry, value) = (see::one(view, "cache", "c").int("entry"), see::one(view, "rows", "row").int("value"));
        see::kept(entry == 0 || entry == value, || format!("the cache has {entry}, and the row is deleted"))
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, generations| {
        scenario(name)
            .about("A row is deleted, with its cache entry, between a reader's read of it and its fill.")
            .source("https://github.com/Basekick-Labs/arc/issues/499")
            .stores(documents(store().with("cache", doc([("_id", "c".into()), ("generation", 0.into())]))))
            .client("reader", move |ctx| reader(ctx, generations))
            .client("deleter", deleter)
            .properties([
                cached_is_stored(),
                no_program_fails(),
                somebody_is(&["filled"], "somebody fills the cache"),
                somebody_is(&["finds no row"], "somebody finds no row"),
                everybody_is_done(),
            ])
    };
    vec![
        world("SR-05 row deleted, entry back", false)
            .breaks("what is cached is stored")
            .fixed_by("SR-05 row deleted, entry back, repaired"),
        world("SR-05 row deleted, entry back, repaired", true)
            .property(somebody_is(&["does not fill"], "somebody does not fill")),
    ]
}
