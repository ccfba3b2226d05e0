//! PM-13, Netflix/EVCache#58: a group entry that lists all keys of a user, so that they can be flushed.
//!
//! *Mechanism:* the list of keys may expire or be evicted, and several servers read, change and write it. To flush the user, somebody reads a list in
//! which keys are missing: those items stay. *Smallest configuration:* 2 clients, 1 list, 2 items, one eviction. *Source:*
//! <https://github.com/Netflix/EVCache/issues/58>. *Violated:* to flush the group reaches its live items. *Repair:* a generation number in the
//! keys: to flush is to take a new one, and what is missing is a new one. *Trap:* append instead of read, change, write: the list can
//! still be evicted, and a key that two servers register stands in it twice. *Trap (ours):* compare-and-set: the list can still be evicted
//! (but it looks before it adds, and lists no key twice).
//!
//! Translated: the servers tell the flusher over a queue when they are done. What is stored under a generation that was evicted can be found by
//! nobody, so to look for it would be to wait for ever.

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration, Messages as _};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::{Dht, Messages, Stores};

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_data_recipes::group;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P1";

const LIST: &str = "keys of the user";
const GENERATION: &str = "generation";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Rewrites,
    Appends,
    Swaps,
    Generation,
}

/// The generation, a new one when there is none. Two are never the same.
async fn generation(ctx: &Context) -> Result<String, StoreError> {
    loop {
        ctx.checkpoint("generation", &[]);
        if let Some(generation) = ctx.dht().get(GENERATION).await? {
            return Ok(generation.data.as_text().cloned().unwrap_or_default());
        }
        ctx.dht().put(GENERATION, ctx.unique_id().into(), Expiration::Never).await?;
    }
}

/// Stores an item so that it can be flushed.
async fn server(ctx: Context, way: Way, item: &'static str) -> Ended {
    let dht = ctx.dht();
    if way == Way::Generation {
        let generation = generation(&ctx).await?;
        put(&ctx, &format!("{item} {generation}"), "data").await?;
    } else {
        put(&ctx, item, "data").await?;
        match way {
            Way::Rewrites => {
                let mut keys = group::keys(&dht, LIST).await?.map_or(Vec::new(), |(keys, _)| keys);
                keys.push(item.to_owned());
                put(&ctx, LIST, keys).await?;
            }
            Way::Appends => {
                while !dht.append(LIST, vec![item].into()).await?
                    && !dht.put(LIST, vec![item].into(), Expiration::Never).await?
                {}
            }
            _ => group::add(&ctx, LIST, item, 4).await.map_err(|_| StoreError::WriteConflict)?,
        }
    }
    ctx.messages().send("stored", item.into(), 0).await
}

/// Waits until both servers have stored and registered their item, and flushes the user.
async fn flusher(ctx: Context, way: Way) -> Ended {
    let dht = ctx.dht();
    for _ in 0..2 {
        ctx.messages().receive("stored").await?;
    }
    if way == Way::Generation {
        put(&ctx, GENERATION, ctx.unique_id()).await?;
    } else {
        for key in group::keys(&dht, LIST).await?.map_or(Vec::new(), |(keys, _)| keys) {
            dht.del(&key).await?;
        }
    }
    ctx.mark("flushed");
    Ok(())
}

/// At the end: everybody has stored and registered; what is readable was not flushed.
fn a_flush_reaches_all() -> Property {
    Property::at_rest("a flush reaches the live items", "Netflix/EVCache#58", |view| {
        let table = hash_table(view);
        let generation = see::data(view, GENERATION);
        let live = |item: &&str| match generation.as_text() {
            Some(generation) => table.item(&format!("{item} {generation}")).is_some(),
            None => table.item(item).is_some(),
        };
        let listed = keys_of(view, LIST);
        let flushed = see::marked(view, "flushed") > 0;
        let out_of_reach = |item: &&str| flushed && live(item) && !listed.iter().any(|key| key == item);
        match ["item 1", "item 2"].into_iter().find(out_of_reach) {
            None => Ok(()),
            Some(item) => Err(format!("{item} can be read, and no flush reaches it")),
        }
    })
}

/// The faulty program, the traps, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, way| {
        scenario(name)
            .about("Two servers store an item each for one user, in a way that lets them be flushed together. One key may be evicted.")
            .source("https://github.com/Netflix/EVCache/issues/58")
            .stores(Stores { messages: Some(Messages::default()), ..table(Dht::seed(1)) })
            .client("server 1", move |ctx| server(ctx, way, "item 1"))
            .client("server 2", move |ctx| server(ctx, way, "item 2"))
            .client("flusher", move |ctx| flusher(ctx, way))
            .evictions(1)
            .properties([
                a_flush_reaches_all(),
                no_program_fails(),
                somebody_is(&["flushed"], "the user is flushed"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    let same_item = |name: &str, way| {
        scenario(name)
            .about("Two servers store the same item for one user, and each registers its key. A flush would read and delete it twice.")
            .source("https://github.com/Netflix/EVCache/issues/58")
            .stores(Stores { messages: Some(Messages::default()), ..table(Dht::seed(1)) })
            .clients(2, move |ctx| server(ctx, way, "item 1"))
            .evictions(1)
            .properties([
                Property::always("no key is listed twice", "Netflix/EVCache#58", |view| {
                    let listed = keys_of(view, LIST);
                    let twice = listed.iter().enumerate().find(|(i, key)| listed[..*i].contains(key));
                    see::kept(twice.is_none(), || format!("the list is {}", listed.join(", ")))
                }),
                no_program_fails(),
                Property::sometimes("the key is listed", |view| !keys_of(view, LIST).is_empty()),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    let repaired = "PM-13 list of all keys, repaired";
    let breaks = |name: &str, way| world(name, way).breaks("a flush reaches the live items").fixed_by(repaired);
    vec![
        breaks("PM-13 list of all keys", Way::Rewrites),
        breaks("PM-13 list of all keys, trap: append", Way::Appends),
        breaks("PM-13 list of all keys, trap: compare-and-set", Way::Swaps),
        world(repaired, Way::Generation),
        same_item("PM-13 list of all keys, trap: append, one item twice", Way::Appends)
            .breaks("no key is listed twice")
            .fixed_by("PM-13 list of all keys, one item, compare-and-set"),
        same_item("PM-13 list of all keys, one item, compare-and-set", Way::Swaps),
    ]
}
