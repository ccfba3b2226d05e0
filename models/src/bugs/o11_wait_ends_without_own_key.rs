//! O11: the wait for the predecessor ends, and nobody looks whether the own node is still there.
//!
//! The lease of a waiter expires while it waits; its node goes, the waiting call is not told and waits on, through the
//! next session. When the predecessor goes the call answers "granted" without a node.
//!
//! Smallest: 2 clients, expiry of the one that waits. Source: <https://github.com/etcd-io/etcd/issues/11456>.

use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::{enqueue, give_up_if_lost, hold, is_lost, line, node_event, place, reconnect};
use crate::property::*;
use crate::scenario::Scenario;

/// Waits until the node is gone, through one new session if need be.
async fn wait_deleted(ctx: &Context, path: &str) -> Result<(), ZkError> {
    let mut renewed = false;
    loop {
        match ctx.zookeeper().watch_data(path).await {
            Ok((_, _, mut watch)) => {
                node_event(&mut watch).await;
            }
            Err(ZkError::NoNode) => return Ok(()),
            Err(error) if is_lost(error) && !renewed => {
                renewed = true;
                reconnect(ctx).await?;
            }
            Err(error) => return Err(error),
        }
    }
}

async fn lock<const CHECKS_OWN: bool>(ctx: &Context) -> Result<String, ZkError> {
    let zk = ctx.zookeeper();
    let own = enqueue(ctx, "/lock/n-").await?;
    let line = line(ctx, "/lock").await?;
    let at = place(&line, &own).ok_or(ZkError::SessionExpired)?;
    // Nobody gets in between: the nearest in front goes last.
    for before in line[..at].iter().rev() {
        wait_deleted(ctx, before).await?;
    }
    if CHECKS_OWN {
        match zk.exists(&own).await? {
            Some(stat) if stat.ephemeral_owner == zk.session_id() => {}
            _ => return Err(ZkError::SessionExpired),
        }
    }
    Ok(own)
}

async fn user<const CHECKS_OWN: bool>(ctx: Context) -> Result<(), ZkError> {
    let used = match lock::<CHECKS_OWN>(&ctx).await {
        Ok(own) => hold(&ctx, &own).await,
        Err(error) => Err(error),
    };
    match used {
        Err(ZkError::NoNode) => Ok(()),
        other => give_up_if_lost(other),
    }
}

/// The faulty lock and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O11 wait ends without own key",
        source: "https://github.com/etcd-io/etcd/issues/11456",
        about: "Two users of a lock whose wait goes on in a new session. One that lost its node while it waited is granted \
                when the holder leaves. Repaired: after the wait it reads its own node, and fails when it is gone.",
        violates: "grant rests on a live node of the own session",
    }
    .pair(
        |s| s.clients(2, user::<false>),
        |s| s.clients(2, user::<true>),
        |s| {
            s.node("/lock").expiries(1).properties([
                grant_rests_on_own_live_node(),
                no_wait_without_wake_up(),
                no_program_fails(),
                somebody_holds(),
                everybody_is_done(),
            ])
        },
    )
}
