//! O45: a try-lock that fails cleans up once, as well as it can.
//!
//! The node of the try stands behind the holder's; the try is lost and its node is to be deleted. The connection breaks
//! at that moment and the error is swallowed. The session comes back: when the holder leaves, the lock belongs to
//! a node that nobody runs.
//!
//! Smallest: 2 clients, 1 break at the clean-up. Source: <https://github.com/python-zk/kazoo/issues/732>.

use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::{delete_surely, enqueue_once, insist, line, own_prefix, place};
use crate::property::*;
use crate::scenario::Scenario;

async fn user<const SURELY: bool>(ctx: Context) -> Result<(), ZkError> {
    let own = enqueue_once(&ctx, "/lock", &own_prefix(&ctx, "/lock")).await?;
    let line = insist(|| line(&ctx, "/lock")).await?;
    if place(&line, &own) == Some(0) {
        ctx.mark_with("holds", &own);
        ctx.work("work").await;
        ctx.unmark("holds");
        return delete_surely(&ctx, &own).await;
    }
    if SURELY {
        delete_surely(&ctx, &own).await?;
    } else {
        let _ = ctx.zookeeper().delete(&own, None).await;
    }
    ctx.mark("gave up");
    Ok(())
}

/// The faulty try-lock and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O45 failed try leaks",
        source: "https://github.com/python-zk/kazoo/issues/732",
        about: "Two clients try to lock once. One that fails deletes its node, and does not look whether that worked. \
                Repaired: it tries until it has.",
        violates: "failed calls leave nothing",
    }
    .pair(
        |s| s.clients(2, user::<false>),
        |s| s.clients(2, user::<true>),
        |s| {
            s.node("/lock").disconnects(1).properties([
                failed_calls_leave_nothing("/lock"),
                no_program_fails(),
                somebody_holds(),
                somebody_is(&["gave up"], "a try fails"),
                everybody_is_done(),
            ])
        },
    )
}
