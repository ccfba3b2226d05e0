//! O41: an acquire fails after it has made its lease.
//!
//! The lease node is there, the list of leases fails, and the error goes up past the lease. Every later acquire counts
//! it: a permit is lost.
//!
//! Smallest: 1 client, 1 break between two calls. Source: <https://github.com/apache/curator/issues/855>.

use overtake_recipes::ZkError;
use overtake_sim::program::Context;

use super::properties::every_node_is_known;
use super::report::Report;
use super::steps::{delete_surely, enqueue_once, own_prefix, turn};
use crate::property::*;
use crate::scenario::Scenario;

/// Takes the one permit.
async fn acquire<const RETURNS: bool>(ctx: &Context) -> Result<String, ZkError> {
    let lease = enqueue_once(ctx, "/leases", &own_prefix(ctx, "/leases")).await?;
    ctx.mark_with("node", &lease);
    match turn(ctx, "/leases", &lease).await {
        Ok(_) => Ok(lease),
        Err(error) => {
            if RETURNS {
                delete_surely(ctx, &lease).await?;
            }
            Err(error)
        }
    }
}

/// Tries until it has had the permit once.
async fn user<const RETURNS: bool>(ctx: Context) -> Result<(), ZkError> {
    let lease = loop {
        match acquire::<RETURNS>(&ctx).await {
            Ok(lease) => break lease,
            Err(ZkError::ConnectionLoss) => ctx.mark("failed once"),
            Err(error) => return Err(error),
        }
    };
    ctx.mark_with("holds", &lease);
    ctx.work("work").await;
    delete_surely(&ctx, &lease).await?;
    ctx.unmark("holds");
    ctx.unmark("node");
    Ok(())
}

/// The faulty semaphore and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O41 lease of a failed acquire",
        source: "https://github.com/apache/curator/issues/855",
        about: "A client takes the one permit of a semaphore, and tries again when that fails. A try that fails after its \
                lease is made leaves the lease. Repaired: every failing path gives the lease back.",
        violates: "every node is known to its client",
    }
    .pair(
        |s| s.clients(1, user::<false>),
        |s| s.clients(1, user::<true>),
        |s| {
            s.node("/leases").disconnects(1).properties([
                every_node_is_known("/leases"),
                no_program_fails(),
                somebody_holds(),
                somebody_is(&["failed once"], "an acquire fails"),
                everybody_is_done(),
            ])
        },
    )
}
