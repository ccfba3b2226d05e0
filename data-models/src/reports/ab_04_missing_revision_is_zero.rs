//! AB-04, tedious/Stash#117: cleared items are valid again under memory pressure.
//!
//! *Mechanism:* the revision's key is dropped by the store while items of revision 0 are still there. A missing revision counts as 0.
//! *Smallest configuration:* 1 client, the revision and one item, one eviction. *Source:* <https://github.com/tedious/Stash/issues/117>.
//! *Violated:* after an acknowledged clear nobody reads a value stored before it. *Repair:* a missing revision starts from a value that
//! was never used.
//!
//! Translated: the cache is a hash table.

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P12";

async fn revision(ctx: &Context, fresh: bool) -> Result<String, StoreError> {
    if let Some(item) = ctx.dht().get("revision").await? {
        return Ok(item.data.as_text().cloned().unwrap_or_default());
    }
    if !fresh {
        return Ok("0".into());
    }
    // Nobody else is there who could begin it.
    let first = ctx.unique_id();
    ctx.dht().put("revision", (&first).into(), Expiration::Never).await?;
    Ok(first)
}

async fn client(ctx: Context, fresh: bool) -> Ended {
    let before = revision(&ctx, fresh).await?;
    put(&ctx, &format!("item@{before}"), "old").await?;
    let next = if fresh { ctx.unique_id() } else { "1".into() };
    put(&ctx, "revision", next).await?;
    let key = format!("item@{}", revision(&ctx, fresh).await?);
    match ctx.dht().get(&key).await? {
        Some(_) => ctx.mark("reads what was cleared"),
        None => ctx.mark("misses"),
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, fresh| {
        scenario(name)
            .about("An item is stored and cleared by a new revision. The revision's key is evicted, and the item is there again.")
            .source("https://github.com/tedious/Stash/issues/117")
            .stores(table(Dht::memcached(1).placed("revision", 0).placed("item@", 0)))
            .client("client", move |ctx| client(ctx, fresh))
            .evictions(1)
            .properties([
                see::at_most(0, &["reads what was cleared"], "nobody reads what was cleared", "tedious/Stash#117"),
                no_program_fails(),
                somebody_is(&["misses"], "somebody misses"),
                everybody_is_done(),
            ])
    };
    vec![
        world("AB-04 missing revision is zero", false)
            .breaks("nobody reads what was cleared")
            .fixed_by("AB-04 missing revision is zero, repaired"),
        world("AB-04 missing revision is zero, repaired", true),
    ]
}
