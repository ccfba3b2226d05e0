//! O73, redisson#3004: a fair lock drops waiters from its queue that are alive.
//!
//! *Mechanism:* a waiter stays longer than the queue's time-out. A newcomer removes "dead" waiters by that time-out, and
//! the live one with them. The unlock notifies the head of the queue only, so the removed one sleeps for ever.
//! *Smallest configuration:* 3 clients, 1 long hold. *Source:* <https://github.com/redisson/redisson/issues/3004>.
//! *Violated:* a live waiter stays in the queue, or learns that it was removed. *Repair:* a waiter whose entry goes
//! enters the queue again.
//!
//! Translated from Redis: the holder is a node, the queue is a node with a sequential child for each waiter, and an
//! unlock writes to the first child. Whether a waiter's time is over is chosen by the world when a newcomer looks.

use overtake_recipes::names::{contenders, join};
use overtake_recipes::{CreateMode, Environment, EventKind, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::report::Report;
use crate::property::*;
use crate::scenario::Scenario;

const HOLDER: &str = "/holder";
const QUEUE: &str = "/queue";

/// Becomes the holder if there is none.
async fn try_lock(ctx: &Context) -> Result<bool, ZkError> {
    match ctx.zookeeper().create(HOLDER, b"", CreateMode::Persistent).await {
        Ok(_) => Ok(true),
        Err(ZkError::NodeExists) => Ok(false),
        Err(error) => Err(error),
    }
}

async fn remove(ctx: &Context, path: &str) -> Result<(), ZkError> {
    match ctx.zookeeper().delete(path, None).await {
        Ok(()) | Err(ZkError::NoNode) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Removes those whose time in the queue is over.
async fn prune(ctx: &Context) -> Result<(), ZkError> {
    for name in contenders(ctx.zookeeper().children(QUEUE).await?) {
        if ctx.choose(2).await == 1 {
            remove(ctx, &join(QUEUE, &name)).await?;
        }
    }
    Ok(())
}

async fn lock<const REJOINS: bool>(ctx: &Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    if try_lock(ctx).await? {
        return Ok(());
    }
    prune(ctx).await?;
    'join: loop {
        let entry = zk.create(&join(QUEUE, "w-"), b"", CreateMode::PersistentSequential).await?;
        loop {
            ctx.checkpoint("in the queue", &[&entry]);
            let mut watch = match zk.watch_data(&entry).await {
                Ok((_, _, watch)) => watch,
                Err(ZkError::NoNode) if REJOINS => continue 'join,
                // The channel is still subscribed to, and nobody will ever write to it.
                Err(ZkError::NoNode) => return std::future::pending().await,
                Err(error) => return Err(error),
            };
            if try_lock(ctx).await? {
                return remove(ctx, &entry).await;
            }
            if let WatchedEvent::Node { kind: EventKind::Deleted, .. } = watch.next().await {
                if REJOINS {
                    continue 'join;
                }
                return std::future::pending().await;
            }
        }
    }
}

/// Gives the lock up and tells the first in the queue.
async fn unlock(ctx: &Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    remove(ctx, HOLDER).await?;
    loop {
        let queue = contenders(zk.children(QUEUE).await?);
        let Some(first) = queue.first() else {
            return Ok(());
        };
        match zk.set_data(&join(QUEUE, first), b"go", None).await {
            Err(ZkError::NoNode) => {}
            told => return told.map(drop),
        }
    }
}

async fn user<const REJOINS: bool>(ctx: Context) -> Result<(), ZkError> {
    ctx.mark("wants");
    lock::<REJOINS>(&ctx).await?;
    ctx.unmark("wants");
    ctx.mark("holds");
    ctx.work("work").await;
    ctx.unmark("holds");
    unlock(&ctx).await
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O73 live waiter pruned",
        source: "https://github.com/redisson/redisson/issues/3004",
        about: "Three clients share a fair lock. A newcomer takes a waiter for dead and removes it from the queue; unlocking \
                tells the first in the queue only. Repaired: a waiter that is removed enters the queue again.",
        violates: "no wait without a wake-up",
    }
    .pair(
        |s| s.clients(3, user::<false>),
        |s| s.clients(3, user::<true>),
        |s| {
            s.node(QUEUE).properties([
                at_most_one_live_holder(),
                no_wait_without_wake_up(),
                no_program_fails(),
                somebody_holds(),
                somebody_waits(),
                everybody_is_done(),
            ])
        },
    )
}
