//! O18: `exists` on a predecessor that is gone sets a watch for its creation.
//!
//! The holder deletes its node between the list and the `exists` of the next. "No node" is not looked at; the watch
//! waits for a node that is never created again, and the lock is never granted.
//!
//! Smallest: 2 clients, no faults. Source: <https://github.com/shayhatsor/zookeeper/issues/26> (Apache Java WriteLock).

use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::{enqueue, hold, line, node_event, place};
use crate::property::*;
use crate::scenario::Scenario;

async fn user<const LOOKS: bool>(ctx: Context) -> Result<(), ZkError> {
    let own = enqueue(&ctx, "/lock/x-").await?;
    loop {
        let line = line(&ctx, "/lock").await?;
        let at = place(&line, &own).expect("nobody else deletes the node");
        if at == 0 {
            return hold(&ctx, &own).await;
        }
        let (stat, mut watch) = ctx.zookeeper().watch_exists(&line[at - 1]).await?;
        if LOOKS && stat.is_none() {
            continue;
        }
        node_event(&mut watch).await;
    }
}

/// The faulty lock and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O18 wait for a creation",
        source: "https://github.com/shayhatsor/zookeeper/issues/26",
        about: "Two users of a lock watch the node before their own with `exists` and wait, whatever it answered. \
                Repaired: when the node is gone they list again at once.",
        violates: "no wait without a wake-up",
    }
    .pair(
        |s| s.clients(2, user::<false>),
        |s| s.clients(2, user::<true>),
        |s| {
            s.node("/lock").properties([
                at_most_one_live_holder(),
                no_wait_without_wake_up(),
                no_program_fails(),
                somebody_holds(),
                everybody_is_done(),
            ])
        },
    )
}
