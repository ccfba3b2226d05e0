//! O17: the first in line watches nothing, not even its own node.
//!
//! An operator deletes the leader's node. The next in line is told and leads; the former leader hears nothing.
//!
//! Smallest: 2 candidates, 1 deletion from outside. Source: <https://github.com/bonifaido/rust-zookeeper/pull/77>.

use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::properties::a_lost_lock_is_told;
use super::report::Report;
use super::steps::{enqueue, line, turn, wait_for};
use crate::property::*;
use crate::scenario::Scenario;

/// Leads for life, or until it sees its node go.
async fn candidate<const WATCHES_OWN: bool>(ctx: Context) -> Result<(), ZkError> {
    let own = enqueue(&ctx, "/latch/n-").await?;
    if turn(&ctx, "/latch", &own).await? {
        ctx.mark_with("holds", &own);
        match WATCHES_OWN {
            true => wait_for(&ctx, &own).await?,
            false => std::future::pending().await,
        }
        ctx.unmark("holds");
        ctx.mark("told");
    }
    Ok(())
}

/// Deletes the first node that it sees.
async fn operator(ctx: Context) -> Result<(), ZkError> {
    match line(&ctx, "/latch").await?.first() {
        Some(first) => ctx.zookeeper().delete(first, None).await,
        None => Ok(()),
    }
}

/// The faulty latch and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O17 first watches nothing",
        source: "https://github.com/bonifaido/rust-zookeeper/pull/77",
        about: "Two candidates, and an operator who deletes the first node. Each candidate watches the one before its \
                own; the first watches nothing. Repaired: who leads watches its own node.",
        violates: "a lost lock is told",
    }
    .pair(
        |s| s.clients(2, candidate::<false>).client("operator", operator),
        |s| s.clients(2, candidate::<true>).client("operator", operator),
        |s| {
            s.node("/latch").properties([
                a_lost_lock_is_told(),
                no_program_fails(),
                somebody_holds(),
                Property::sometimes("the first is deleted while it leads", |view| {
                    let gone = |path| view.zookeeper().node(path).is_none();
                    let mut held = view.clients().filter_map(|c| c.mark("holds").flatten());
                    held.any(gone)
                }),
            ])
        },
    )
}
