//! LB-05, MassTransit/MassTransit#1096: a saga's version is compared in the client.
//!
//! *Mechanism:* the repository gets the saga, compares versions in the client, and sets it. Two consumers pass the comparison together, and
//! the second set overwrites the first. *Smallest configuration:* 2 workers, one key. *Source:*
//! <https://github.com/MassTransit/MassTransit/pull/1096>, <https://github.com/MassTransit/MassTransit/pull/919>. *Violated:* the stored
//! version increases by one with each successful update. *Repair:* a lock around compare and set. *Trap:* a consumer that does not
//! get the lock must not go on as if it had saved: its message is acknowledged and lost.
//!
//! Translated from Redis: the saga is a key of the hash table whose value holds its version and the steps taken; the lock is another key,
//! taken by PUT.

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration, doc};
use overtake_recipes::{Environment, StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P24";

#[derive(Clone, Copy, Debug)]
enum Way {
    Unlocked,
    Locked,
    LockedOrNot,
}

/// Compares the versions, and sets the saga; `false` when it has another.
async fn compare_and_set(ctx: &Context, read: i64, new: &Value) -> Result<bool, StoreError> {
    if get(ctx, "saga").await?.data.int("version") != read {
        return Ok(false);
    }
    put(ctx, "saga", new.clone()).await?;
    Ok(true)
}

/// The repository: whether the saga was saved.
async fn save(ctx: &Context, read: i64, new: &Value, way: Way) -> Result<bool, StoreError> {
    if let Way::Unlocked = way {
        let saved = compare_and_set(ctx, read, new).await?;
        if saved {
            ctx.mark("saved");
        }
        return Ok(saved);
    }
    loop {
        ctx.checkpoint("lock", &[&new.to_string()]);
        if ctx.dht().put("lock", "taken".into(), Expiration::Never).await? {
            break;
        }
        if let Way::LockedOrNot = way {
            return Ok(true);
        }
    }
    let saved = compare_and_set(ctx, read, new).await?;
    if saved {
        ctx.mark("saved");
    }
    ctx.dht().del("lock").await?;
    Ok(saved)
}

async fn consume(ctx: Context, step: &'static str, way: Way) -> Ended {
    loop {
        ctx.checkpoint("consume", &[]);
        let saga = get(&ctx, "saga").await?.data;
        let version = saga.int("version");
        let steps = with(saga.at("steps").unwrap_or(&Value::Null), step);
        let new = doc([("version", (version + 1).into()), ("steps", steps)]);
        if save(&ctx, version, &new, way).await? {
            ctx.mark_with("added", step);
            return Ok(());
        }
    }
}

fn the_version_counts_updates() -> Property {
    Property::at_rest("the version counts successful updates", "MassTransit/MassTransit#1096", |view| {
        let (version, saved) = (see::data(view, "saga").int("version"), see::marked(view, "saved"));
        see::kept(version == saved, || format!("{saved} updates have succeeded, and the version is {version}"))
    })
}

/// The faulty program, the trap, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, about: &str, way| {
        let saga = doc([("version", 0.into()), ("steps", Value::List(Vec::new()))]);
        scenario(name)
            .about(about)
            .source("https://github.com/MassTransit/MassTransit/pull/1096")
            .stores(table(Dht::seed(1).with("saga", saga)))
            .client("consumer a", move |ctx| consume(ctx, "a", way))
            .client("consumer b", move |ctx| consume(ctx, "b", way))
            .properties([
                the_version_counts_updates(),
                no_program_fails(),
                somebody_is(&["saved"], "somebody saves"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    let steps = || {
        let steps =
            |view: &overtake_sim::world::View<'_>| see::data(view, "saga").at("steps").cloned().unwrap_or_default();
        see::what_was_added_is_there("MassTransit/MassTransit#1096", steps)
    };
    vec![
        world(
            "LB-05 versions compared by the client",
            "Two consumers compare the saga's version with the one that they have read, and then both set it.",
            Way::Unlocked,
        )
        .breaks("the version counts successful updates")
        .fixed_by("LB-05 versions compared by the client, repaired"),
        world(
            "LB-05 versions compared by the client, trap: no lock, no matter",
            "Compare and set go under a lock. A consumer that does not get the lock acknowledges its message.",
            Way::LockedOrNot,
        )
        .property(steps())
        .breaks("what was added is there")
        .fixed_by("LB-05 versions compared by the client, repaired"),
        world(
            "LB-05 versions compared by the client, repaired",
            "Compare and set go under a lock, for which a consumer waits.",
            Way::Locked,
        )
        .property(steps()),
    ]
}
