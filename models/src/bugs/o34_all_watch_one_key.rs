//! O34: all clients wait for one key.
//!
//! Who finds the key taken waits for it to change. A release wakes all who wait, each tries, and one gets it. (Reported
//! of Consul, where each polls the key; here the key is a node, and each watches it.)
//!
//! Smallest: 4 clients. Source: <https://github.com/hashicorp/consul/issues/7523>.

use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::{enqueue, hold, turn, wait_for};
use crate::property::*;
use crate::scenario::Scenario;

const KEY: &str = "/lock/key";

async fn key_user(ctx: Context) -> Result<(), ZkError> {
    loop {
        let mode = CreateMode::Ephemeral;
        match ctx.zookeeper().create(KEY, b"", mode).await {
            Ok(_) => return hold(&ctx, KEY).await,
            Err(ZkError::NodeExists) => wait_for(&ctx, KEY).await?,
            Err(error) => return Err(error),
        }
    }
}

async fn queue_user(ctx: Context) -> Result<(), ZkError> {
    let own = enqueue(&ctx, "/lock/n-").await?;
    turn(&ctx, "/lock", &own).await?;
    hold(&ctx, &own).await
}

/// The faulty lock and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O34 all watch one key",
        source: "https://github.com/hashicorp/consul/issues/7523",
        about: "Four users of a lock that is one key: a release wakes all who wait for it. Repaired: each has a node of its \
                own and watches the one before it.",
        violates: "wake-ups per release",
    }
    .pair(
        |s| s.clients(4, key_user),
        |s| s.clients(4, queue_user),
        |s| {
            s.node("/lock").properties([
                wake_ups_per_release_at_most(1),
                at_most_one_live_holder(),
                no_wait_without_wake_up(),
                no_program_fails(),
                somebody_holds(),
                everybody_is_done(),
            ])
        },
    )
}
