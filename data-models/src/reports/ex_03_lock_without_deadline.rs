//! EX-03, laravel/horizon#1738 (the same: ShedLock#65, redis-py#818, spring-cloud-zuul-ratelimit#162): a lock gets its deadline in a second
//! call.
//!
//! *Mechanism:* a client takes the lock, and dies before it has set the deadline: nobody ever gets the lock again. *Smallest
//! configuration:* 2 clients, 1 key, one crash. *Source:* <https://github.com/laravel/horizon/issues/1738>,
//! <https://github.com/lukas-krecan/ShedLock/issues/65>, <https://github.com/redis/redis-py/issues/818>. *Violated:* a held lock has a
//! deadline. *Repair:* one call that does both.

use std::time::Duration;

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P7";

const LIFE: Expiration = Expiration::After(Duration::from_secs(10));

async fn acquire(ctx: &Context, me: &str, in_one: bool) -> Result<bool, StoreError> {
    let dht = ctx.dht();
    if in_one {
        return dht.put("lock", me.into(), LIFE).await;
    }
    Ok(dht.put("lock", me.into(), Expiration::Never).await? && dht.touch("lock", LIFE).await?)
}

/// Tries twice, and releases what it has got.
async fn client(ctx: Context, in_one: bool) -> Ended {
    let me = ctx.unique_id();
    if !acquire(&ctx, &me, in_one).await? && !acquire(&ctx, &me, in_one).await? {
        return Ok(());
    }
    ctx.mark_with("holds", &me);
    ctx.work("work").await;
    ctx.unmark("holds");
    ctx.dht().del("lock").await.map(drop)
}

/// Where nothing but faults can happen any more: nobody is about to set it.
fn a_held_lock_has_a_deadline() -> Property {
    Property::at_rest("a held lock has a deadline", "laravel/horizon#1738", |view| {
        let endless = hash_table(view).item("lock").is_some_and(|lock| lock.until == Expiration::Never);
        see::kept(!endless, || "the lock is held, and has no deadline".into())
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, in_one| {
        scenario(name)
            .about("A client takes a lock and dies before it has said how long.")
            .source("https://github.com/laravel/horizon/issues/1738")
            .stores(Dht::seed(1).into())
            .clients(2, move |ctx| client(ctx, in_one))
            .crashes(1)
            .properties([a_held_lock_has_a_deadline(), no_program_fails(), somebody_holds(), everybody_is_done()])
    };
    vec![
        world("EX-03 lock without deadline", false)
            .breaks("a held lock has a deadline")
            .fixed_by("EX-03 lock without deadline, repaired"),
        world("EX-03 lock without deadline, repaired", true),
    ]
}
