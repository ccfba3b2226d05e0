//! O02: a failed non-blocking acquire takes its lease later, outside the mutex.
//!
//! A semaphore guards "count the leases, then create one" with an inner mutex. A non-blocking acquire that finds all
//! permits taken answers "no", but leaves a watch whose callback is the very routine that takes a lease. When the
//! holder releases, two such callbacks run without the mutex: both count none, both create one.
//!
//! Smallest: 3 clients, 1 permit, no faults. Source: <https://github.com/python-zk/kazoo/issues/213>.

use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::properties::no_more_holders_than;
use super::report::Report;
use super::steps::{enqueue, hold, node_event, turn};
use crate::property::*;
use crate::scenario::Scenario;

const LEASES: &str = "/semaphore/leases";

/// Tries once to get the one permit.
async fn user<const LEAVES_A_WATCH: bool>(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let mutex = enqueue(&ctx, "/semaphore/mutex/n-").await?;
    turn(&ctx, "/semaphore/mutex", &mutex).await?;
    let (leases, watch) = if LEAVES_A_WATCH {
        let (leases, watch) = zk.watch_children(LEASES).await?;
        (leases, Some(watch))
    } else {
        (zk.children(LEASES).await?, None)
    };
    let lease = match leases.is_empty() {
        true => Some(enqueue(&ctx, &format!("{LEASES}/l-")).await?),
        false => None,
    };
    zk.delete(&mutex, None).await?;
    match (lease, watch) {
        (Some(lease), _) => hold(&ctx, &lease).await?,
        (None, Some(mut watch)) => {
            let callback = ctx.clone();
            ctx.spawn(async move {
                node_event(&mut watch).await;
                let _ = take_a_lease(&callback).await;
            });
        }
        (None, None) => {}
    }
    Ok(())
}

async fn take_a_lease(ctx: &Context) -> Result<(), ZkError> {
    match ctx.zookeeper().children(LEASES).await?.is_empty() {
        true => hold(ctx, &enqueue(ctx, &format!("{LEASES}/l-")).await?).await,
        false => Ok(()),
    }
}

/// The faulty semaphore and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O02 lease by a callback",
        source: "https://github.com/python-zk/kazoo/issues/213",
        about: "Three users try once to get the one permit of a semaphore. Who is told \"no\" leaves a watch behind, whose \
                callback counts and creates without the mutex. Repaired: a failed try leaves no watch.",
        violates: "no more holders than permits",
    }
    .pair(
        |s| s.clients(3, user::<true>),
        |s| s.clients(3, user::<false>),
        |s| {
            s.node("/semaphore")
                .node("/semaphore/mutex")
                .node(LEASES)
                .properties([
                    no_more_holders_than(1),
                    no_wait_without_wake_up(),
                    no_program_fails(),
                    somebody_holds(),
                    everybody_is_done(),
                ])
        },
    )
}
