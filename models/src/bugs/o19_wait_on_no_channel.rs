//! O19: the watched read of a predecessor that is gone gives no watch, and the client waits on nothing.
//!
//! The holder deletes its node between the list and the watched read of the next. "No node" is tolerated; but with an
//! error comes no channel, and a receive from no channel never ends.
//!
//! Smallest: 2 clients, no faults. Source: <https://github.com/samuel/go-zookeeper/pull/10>.

use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::{Context, SimWatch};

use super::report::Report;
use super::steps::{enqueue, hold, line, node_event, place};
use crate::property::*;
use crate::scenario::Scenario;

/// Receives from the channel; for ever, if there is none.
async fn receive(channel: Option<SimWatch>) {
    match channel {
        Some(mut watch) => drop(node_event(&mut watch).await),
        None => std::future::pending().await,
    }
}

async fn user<const LOOPS: bool>(ctx: Context) -> Result<(), ZkError> {
    let own = enqueue(&ctx, "/lock/lock-").await?;
    loop {
        let line = line(&ctx, "/lock").await?;
        let at = place(&line, &own).expect("nobody else deletes the node");
        if at == 0 {
            return hold(&ctx, &own).await;
        }
        let channel = match ctx.zookeeper().watch_data(&line[at - 1]).await {
            Ok((_, _, watch)) => Some(watch),
            Err(ZkError::NoNode) if LOOPS => continue,
            Err(ZkError::NoNode) => None,
            Err(error) => return Err(error),
        };
        receive(channel).await;
    }
}

/// The faulty lock and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O19 wait on no channel",
        source: "https://github.com/samuel/go-zookeeper/pull/10",
        about: "Two users of a lock watch the node before their own. When it is gone there is no channel to wait on, and \
                the wait never ends. Repaired: when the node is gone they list again.",
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
