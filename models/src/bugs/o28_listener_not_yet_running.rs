//! O28: a waiter relies on a message although its listener is not yet running.
//!
//! The lock is held. The waiter starts the listener in the background and waits for the message of a release. The
//! holder releases before the listener runs: the message is lost, and nobody holds what the waiter waits for.
//! (Reported of a lock on Redis channels; here the listener's subscription is a watch.)
//!
//! Smallest: 2 clients, a listener that starts slowly. Source:
//! <https://github.com/spring-projects/spring-integration/issues/3716>.

use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::{hold, node_event};
use crate::property::*;
use crate::scenario::Scenario;

const KEY: &str = "/locks/key";

async fn try_lock(ctx: &Context) -> Result<bool, ZkError> {
    let mode = CreateMode::Ephemeral;
    match ctx.zookeeper().create(KEY, b"", mode).await {
        Ok(_) => Ok(true),
        Err(ZkError::NodeExists) => Ok(false),
        Err(error) => Err(error),
    }
}

async fn lock<const TRIES_AGAIN: bool>(ctx: &Context) -> Result<(), ZkError> {
    while !try_lock(ctx).await? {
        let starting = ctx.clone();
        let listener = ctx.spawn_task(async move {
            starting.work("the listener starts").await;
            starting.zookeeper().watch_exists(KEY).await.map(|(_, watch)| watch)
        });
        let mut messages = listener.await?;
        if TRIES_AGAIN && try_lock(ctx).await? {
            break;
        }
        node_event(&mut messages).await;
    }
    Ok(())
}

async fn user<const TRIES_AGAIN: bool>(ctx: Context) -> Result<(), ZkError> {
    lock::<TRIES_AGAIN>(&ctx).await?;
    hold(&ctx, KEY).await
}

/// The faulty lock and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O28 listener not yet running",
        source: "https://github.com/spring-projects/spring-integration/issues/3716",
        about: "Two users of a lock on one node. Who finds it taken starts a listener and waits for its message. A release \
                before the listener runs is not heard of. Repaired: once it runs, the lock is tried again.",
        violates: "no wait without a wake-up",
    }
    .pair(
        |s| s.clients(2, user::<false>),
        |s| s.clients(2, user::<true>),
        |s| {
            s.node("/locks").properties([
                at_most_one_live_holder(),
                no_wait_without_wake_up(),
                no_program_fails(),
                somebody_holds(),
                everybody_is_done(),
            ])
        },
    )
}
