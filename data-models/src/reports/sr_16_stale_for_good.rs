//! SR-16, memcached/memcached#1067: an item stays stale, and nobody may refill it.
//!
//! *Mechanism:* the item is marked stale, A wins the token to refill it, the item is marked stale again, B wins the token. A's set comes with a
//! version that is too old: the server refuses it and counts the version up. B's set is too old by that, and is refused as well.
//! Later readers see a stale item whose token is won. *Smallest configuration:* 2 fillers and 1 who invalidates, one key. *Source:*
//! <https://github.com/memcached/memcached/issues/1067>. *Violated:* while an item is stale some reader can win the token. *Repair:* a refused
//! set keeps the version.
//!
//! Translated: the item is a document with its version, stale or not, won or not; each operation of the server is a step. It is stale from the
//! start, and is marked stale once more.

use overtake_recipes::StoreError;
use overtake_recipes::store::documents::{Returning, and, eq, inc, ne, set};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P8";

async fn filler(ctx: Context, keeps: bool) -> Ended {
    let to_win = and([by_id("i"), eq("stale", true), eq("won", false)]);
    let won = ctx.documents().find_and_modify("items", to_win, vec![set("won", true)], Returning::After).await?;
    let Some(item) = won else {
        ctx.mark("takes what is there");
        return Ok(());
    };
    ctx.work("read the database").await;
    ctx.mark(if set_item(&ctx, item.int("version"), keeps).await? { "refilled" } else { "refused" });
    Ok(())
}

/// The server's set at a version: whether it was done. Each of its calls refuses (and counts) or fills by itself, or does nothing.
async fn set_item(ctx: &Context, version: i64, keeps: bool) -> Result<bool, StoreError> {
    loop {
        if !keeps {
            let too_old = and([by_id("i"), ne("version", version)]);
            let counted = vec![inc("version", 1)];
            if ctx.documents().find_and_modify("items", too_old, counted, Returning::After).await?.is_some() {
                return Ok(false);
            }
        }
        let same = and([by_id("i"), eq("version", version)]);
        let filled = vec![set("stale", false), set("won", false), inc("version", 1)];
        let done = change(ctx, "items", same, filled).await?;
        if done || keeps {
            return Ok(done);
        }
    }
}

async fn invalidator(ctx: Context) -> Ended {
    let stale = vec![set("stale", true), set("won", false), inc("version", 1)];
    change(&ctx, "items", by_id("i"), stale).await.map(drop)
}

fn somebody_can_refill() -> Property {
    Property::at_rest("a stale item can be refilled", "memcached/memcached#1067", |view| {
        let item = see::one(view, "items", "i");
        let stuck = item.at("stale") == Some(&true.into()) && item.at("won") == Some(&true.into());
        see::kept(!stuck, || "the item is stale, its token is won, and nobody is refilling it".into())
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, keeps| {
        let item = [("_id", "i".into()), ("version", 1.into()), ("stale", true.into()), ("won", false.into())];
        scenario(name)
            .about("Two readers win the token to refill an item, one after the other. The refusal of the first makes the second too old.")
            .source("https://github.com/memcached/memcached/issues/1067")
            .stores(documents(Documents::new().with("items", doc(item))))
            .clients(2, move |ctx| filler(ctx, keeps))
            .client("invalidator", invalidator)
            .properties([
                somebody_can_refill(),
                no_program_fails(),
                somebody_is(&["refilled"], "somebody refills it"),
                somebody_is(&["refused"], "somebody is refused"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("SR-16 stale for good", false)
            .breaks("a stale item can be refilled")
            .fixed_by("SR-16 stale for good, repaired"),
        world("SR-16 stale for good, repaired", true),
    ]
}
