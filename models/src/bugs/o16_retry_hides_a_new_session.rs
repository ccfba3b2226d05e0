//! O16: the retry of a write hides that the session, and with it the lock, is gone.
//!
//! A holder writes under its lock. The first try fails since the session is over; the retry loop connects anew and
//! writes again. The write succeeds, although another client holds the lock.
//!
//! Smallest: 2 clients, 1 expiry. Source: <https://github.com/vespa-engine/vespa/pull/3340>.

use overtake_recipes::{Environment, Op, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::properties::no_write_by_a_former_holder;
use super::report::Report;
use super::steps::{enqueue, give_up_if_lost, is_lost, reconnect, turn};
use crate::property::*;
use crate::scenario::Scenario;

const RESOURCE: &str = "/resource";

async fn try_write<const WITH_LOCK: bool>(ctx: &Context, own: &str) -> Result<(), ZkError> {
    let set = Op::SetData { path: RESOURCE.to_owned(), data: own.as_bytes().to_vec(), version: None };
    let check = Op::Check { path: own.to_owned(), version: None };
    let ops = if WITH_LOCK { vec![check, set] } else { vec![set] };
    ctx.zookeeper().multi(ops).await.map(drop)
}

/// Writes, and tries again once when the connection or the session is lost.
async fn write<const WITH_LOCK: bool>(ctx: &Context, own: &str) -> Result<(), ZkError> {
    match try_write::<WITH_LOCK>(ctx, own).await {
        Err(error) if is_lost(error) => {
            reconnect(ctx).await?;
            try_write::<WITH_LOCK>(ctx, own).await
        }
        answer => answer,
    }
}

async fn section<const WITH_LOCK: bool>(ctx: &Context) -> Result<(), ZkError> {
    let own = enqueue(ctx, "/lock/n-").await?;
    turn(ctx, "/lock", &own).await?;
    ctx.mark_with("holds", &own);
    let written = write::<WITH_LOCK>(ctx, &own).await;
    if written.is_ok() {
        ctx.mark("wrote");
        ctx.work("work").await;
        ctx.unmark("wrote");
    }
    ctx.unmark("holds");
    ctx.zookeeper().delete(&own, None).await
}

async fn user<const WITH_LOCK: bool>(ctx: Context) -> Result<(), ZkError> {
    match section::<WITH_LOCK>(&ctx).await {
        Err(ZkError::NoNode) => Ok(()),
        other => give_up_if_lost(other),
    }
}

/// The faulty retry and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O16 retry hides a new session",
        source: "https://github.com/vespa-engine/vespa/pull/3340",
        about: "Two clients take turns to write to a resource; a write that fails is made again, in a new session if need \
                be. The second try of one that lost its lock lands on what the next holder wrote. Repaired: the write \
                and a check of the lock's node are one transaction.",
        violates: "no write by a former holder",
    }
    .pair(
        |s| s.clients(2, user::<false>),
        |s| s.clients(2, user::<true>),
        |s| {
            s.node("/lock").node(RESOURCE).expiries(1).properties([
                no_write_by_a_former_holder(RESOURCE),
                no_wait_without_wake_up(),
                no_program_fails(),
                somebody_is(&["wrote"], "somebody wrote"),
                everybody_is_done(),
            ])
        },
    )
}
