//! EX-13, phpnode/YiiRedis#18: two clients take over a lock that is over.
//!
//! *Mechanism:* the lock holds its deadline, which has passed. Two clients read that. The first deletes it and takes it. The second deletes it, which is
//! the first one's by now, and takes it. *Smallest configuration:* 2 clients, 1 key, the clock. *Source:*
//! <https://github.com/phpnode/YiiRedis/pull/18>. *Violated:* at most one holds. *Repair:* take over by a compare-and-swap of what was seen.

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration, Updated, doc};
use overtake_recipes::{Environment, StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P21";

const NOW: i64 = 20;

fn lock(deadline: i64) -> Value {
    doc([("deadline", deadline.into())])
}

async fn acquire(ctx: &Context, swaps: bool) -> Result<bool, StoreError> {
    let dht = ctx.dht();
    if dht.put("lock", lock(NOW + 10), Expiration::Never).await? {
        return Ok(true);
    }
    match dht.get("lock").await? {
        Some(old) if old.data.int("deadline") < NOW && swaps => {
            Ok(dht.update("lock", lock(NOW + 10), old.version).await? == Updated::Stored)
        }
        Some(old) if old.data.int("deadline") < NOW => {
            dht.del("lock").await?;
            dht.put("lock", lock(NOW + 10), Expiration::Never).await
        }
        _ => Ok(false),
    }
}

async fn client(ctx: Context, swaps: bool) -> Ended {
    if acquire(&ctx, swaps).await? {
        ctx.mark_with("holds", &ctx.unique_id());
        ctx.work("work").await;
        ctx.unmark("holds");
        ctx.dht().del("lock").await?;
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, swaps| {
        scenario(name)
            .about("A lock's holder has died, its deadline has passed. Two clients find that out at the same time, and each takes it over.")
            .source("https://github.com/phpnode/YiiRedis/pull/18")
            .stores(Dht::seed(1).with("lock", lock(NOW - 10)).into())
            .clients(2, move |ctx| client(ctx, swaps))
            .properties([at_most_one_believer(), no_program_fails(), somebody_holds(), everybody_ends(),
                everybody_is_done()])
    };
    vec![
        world("EX-13 two take over", false).breaks("at most one believer").fixed_by("EX-13 two take over, repaired"),
        world("EX-13 two take over, repaired", true),
    ]
}
