//! LB-01, memcached/memcached#469: a delete is acknowledged, and the item is there.
//!
//! *Mechanism:* the server's delete looks the item up under the lock and lets the lock go. An increment finds that the item is in use, so it
//! links a new item with the new number in its place. The delete unlinks the old item, which is gone already (no error), and answers
//! DELETED. *Smallest configuration:* 2 clients, one key, a delete of two steps. *Source:*
//! <https://github.com/memcached/memcached/issues/469>, <https://github.com/memcached/memcached/pull/470>. *Violated:* after DELETED
//! without a later write the key is absent. *Repair:* the lock is held over look-up and unlinking.
//!
//! Translated: the server's delete is a program of two calls. Which item is linked under the key is told by its version, which an
//! increment changes. An increment never makes an item, so none that comes after the delete brings it back.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht as _};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P24";

/// The server's delete: whether it answers DELETED.
async fn delete(ctx: &Context, atomic: bool) -> Result<bool, StoreError> {
    if atomic {
        return ctx.dht().del("n").await;
    }
    let Some(item) = ctx.dht().get("n").await? else { return Ok(false) };
    ctx.dht().del_if("n", item.version).await?;
    Ok(true)
}

async fn deleter(ctx: Context, atomic: bool) -> Ended {
    if delete(&ctx, atomic).await? {
        ctx.mark("deleted");
    }
    Ok(())
}

async fn counter(ctx: Context) -> Ended {
    match ctx.dht().increment("n", 1).await? {
        Some(_) => ctx.mark("incremented"),
        None => ctx.mark("not found"),
    }
    Ok(())
}

fn deleted_is_absent() -> Property {
    Property::always("what is deleted is absent", "memcached/memcached#469", |view| {
        let number = see::data(view, "n");
        let there = see::marked(view, "deleted") > 0 && number != overtake_recipes::Value::Null;
        see::kept(!there, || format!("the delete is acknowledged, and the item is there with {number}"))
    })
    .where_marked(&["deleted"], 1)
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, atomic| {
        scenario(name)
            .about("An increment comes between a delete's look-up and its unlinking, and puts another item in the place of the first.")
            .source("https://github.com/memcached/memcached/issues/469")
            .stores(table(Dht::memcached(1).with("n", 1)))
            .client("deletes", move |ctx| deleter(ctx, atomic))
            .client("increments", counter)
            .properties([
                deleted_is_absent(),
                no_program_fails(),
                somebody_is(&["deleted"], "somebody deletes"),
                somebody_is(&["incremented"], "somebody increments"),
                somebody_is(&["not found"], "somebody finds nothing to increment"),
                everybody_is_done(),
            ])
    };
    vec![
        world("LB-01 deleted item survives", false)
            .breaks("what is deleted is absent")
            .fixed_by("LB-01 deleted item survives, repaired"),
        world("LB-01 deleted item survives, repaired", true),
    ]
}
