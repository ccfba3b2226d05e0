//! AB-03, symfony/symfony#28445: old entries come back when the version of their namespace is evicted.
//!
//! *Mechanism:* items are stored under keys that hold the namespace's version, 1 at first; a clear makes it 2. The version's key is evicted;
//! a reader finds none, starts at 1 again, and reads what was cleared. *Smallest configuration:* 2 clients, the version's key and the
//! items' keys, one eviction. *Source:* <https://github.com/symfony/symfony/issues/28445>,
//! <https://github.com/symfony/symfony/pull/28561>. *Violated:* after an acknowledged clear nobody reads a value stored before it.
//! *Repair:* a missing version starts from a value that was never used.
//!
//! Translated: the cache is a hash table. The publisher tells the reader over a queue that it has cleared, so that the read surely
//! begins afterwards.

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration, Messages as _};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::{Dht, Messages, Stores};

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P12";

const VERSION: &str = "version";

/// The version of the namespace, begun if there is none.
async fn version(ctx: &Context, fresh: bool) -> Result<String, StoreError> {
    loop {
        if let Some(item) = ctx.dht().get(VERSION).await? {
            return Ok(item.data.as_text().cloned().unwrap_or_default());
        }
        let first = if fresh { ctx.unique_id() } else { "1".into() };
        if ctx.dht().put(VERSION, (&first).into(), Expiration::Never).await? {
            return Ok(first);
        }
    }
}

async fn clear(ctx: &Context, fresh: bool) -> Ended {
    let next = match fresh {
        true => ctx.unique_id(),
        false => (version(ctx, fresh).await?.parse::<u32>().unwrap_or(0) + 1).to_string(),
    };
    put(ctx, VERSION, next).await
}

async fn publisher(ctx: Context, fresh: bool) -> Ended {
    put(&ctx, &format!("item@{}", version(&ctx, fresh).await?), "old").await?;
    clear(&ctx, fresh).await?;
    put(&ctx, &format!("item@{}", version(&ctx, fresh).await?), "new").await?;
    ctx.messages().send("cleared", "cleared".into(), 0).await
}

async fn reader(ctx: Context, fresh: bool) -> Ended {
    ctx.messages().receive("cleared").await?;
    let key = format!("item@{}", version(&ctx, fresh).await?);
    match ctx.dht().get(&key).await? {
        Some(item) if item.data == "old".into() => ctx.mark("reads what was cleared"),
        Some(_) => ctx.mark("reads the new one"),
        None => ctx.mark("misses"),
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, fresh| {
        let table = Dht::memcached(1).placed("version", 0).placed("item@", 0);
        scenario(name)
            .about("A namespace is cleared by counting its version up. The version's key is evicted, and the count starts again.")
            .source("https://github.com/symfony/symfony/issues/28445")
            .stores(Stores { dht: Some(table), messages: Some(Messages::default()), ..Stores::default() })
            .client("publisher", move |ctx| publisher(ctx, fresh))
            .client("reader", move |ctx| reader(ctx, fresh))
            .evictions(1)
            .properties([
                see::at_most(0, &["reads what was cleared"], "nobody reads what was cleared", "symfony/symfony#28445"),
                no_program_fails(),
                somebody_is(&["reads the new one"], "somebody reads the new value"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("AB-03 version key evicted", false)
            .breaks("nobody reads what was cleared")
            .fixed_by("AB-03 version key evicted, repaired"),
        world("AB-03 version key evicted, repaired", true).property(somebody_is(&["misses"], "somebody misses")),
    ]
}
