//! O66, redis/redis-py#1031 (the same: ShedLock#2583, spring-integration#8699): a release checks and deletes in two
//! steps.
//!
//! *Mechanism:* the releaser reads the record: it is its own. Its lease ends, another acquires. Then the releaser
//! deletes: the other's lock is gone. *Smallest configuration:* 2 clients (3 to see two holders), the lease ends
//! between two calls. *Source:* <https://github.com/redis/redis-py/pull/1031>. *Violated:* an unlock removes only
//! what it has acquired. *Repair:* compare and delete in one step.
//!
//! Translated from Redis: the record is a persistent node whose data names the holder, empty when the lock is free,
//! so its version tells one lease from the next. That a lease ends is a client of its own, which ends the slow
//! client's lease once, in one step, whenever it likes. The others release within their leases.

use overtake_recipes::{Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::names::Text;
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const RECORD: &str = "/record";
const SLOW: &str = "slow";

async fn acquire(ctx: &Context, me: &str) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    loop {
        ctx.checkpoint("acquire", &[me]);
        let (holder, stat, mut watch) = zk.watch_data(RECORD).await?;
        if !holder.is_empty() {
            watch.next().await;
            continue;
        }
        match zk.set_data(RECORD, me.as_bytes(), Some(stat.version)).await {
            Ok(_) => return Ok(()),
            Err(ZkError::BadVersion) => {}
            Err(error) => return Err(error),
        }
    }
}

async fn release(ctx: &Context, me: &str, compares: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let (holder, stat) = zk.get_data(RECORD).await?;
    if holder == me.as_bytes() {
        let version = compares.then_some(stat.version);
        match zk.set_data(RECORD, b"", version).await {
            Ok(_) | Err(ZkError::BadVersion) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

async fn slow(ctx: Context, compares: bool) -> Result<(), ZkError> {
    acquire(&ctx, SLOW).await?;
    release(&ctx, SLOW, compares).await
}

async fn rival(ctx: Context, compares: bool) -> Result<(), ZkError> {
    let me = ctx.unique_id();
    acquire(&ctx, &me).await?;
    ctx.mark_with("holds", &me);
    ctx.work("work").await;
    ctx.unmark("holds");
    release(&ctx, &me, compares).await
}

/// The end of the slow client's lease, as the store brings it about.
async fn lease(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let (holder, stat) = zk.get_data(RECORD).await?;
    if holder == SLOW.as_bytes() {
        match zk.set_data(RECORD, b"", Some(stat.version)).await {
            Ok(_) => ctx.mark("ended a lease"),
            Err(ZkError::BadVersion) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn record_names_the_holder() -> Property {
    let record = Text::new(RECORD);
    Property::always("an unlock removes only what it has acquired", "redis/redis-py#1031", move |view| {
        let named = view.zookeeper().data(record).flatten();
        let robbed = |c: &overtake_sim::world::ClientView<'_>| c.mark("holds").is_some_and(|me| me != named);
        match view.clients().find(robbed) {
            None => Ok(()),
            Some(c) => Err(format!("{} holds, and its record was removed", c.name())),
        }
    })
    .where_marked(&["holds"], 1)
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, compares| {
        scenario(name)
            .about("A release reads that the record is its own and deletes it; between the two the record became another's.")
            .source("https://github.com/redis/redis-py/pull/1031")
            .node(RECORD)
            .client(SLOW, move |ctx| slow(ctx, compares))
            .client("lease", lease)
            .clients(2, move |ctx| rival(ctx, compares))
            .properties([
                record_names_the_holder(),
                no_program_fails(),
                somebody_holds(),
                somebody_is(&["ended a lease"], "a lease ends"),
                everybody_is_done(),
            ])
    };
    vec![
        world("O66 check, then delete", false)
            .breaks("an unlock removes only what it has acquired")
            .fixed_by("O66 check, then delete, repaired"),
        world("O66 check, then delete, repaired", true),
    ]
}
