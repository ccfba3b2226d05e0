//! O40: a release whose delete is lost forgets the node.
//!
//! The delete is lost with the connection. The local record of the owner goes in any case; the node stays, and every
//! later acquire waits behind it.
//!
//! Smallest: 2 clients, 1 break before the delete is applied. Source:
//! <https://github.com/apache/curator/issues/1193>.

use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::properties::every_node_is_known;
use super::report::Report;
use super::steps::{delete_surely, enqueue_once, insist, own_prefix, turn};
use crate::property::*;
use crate::scenario::Scenario;

/// The mark `node` is the local record of the mutex.
async fn user<const SURELY: bool>(ctx: Context) -> Result<(), ZkError> {
    let own = enqueue_once(&ctx, "/mutex", &own_prefix(&ctx, "/mutex")).await?;
    ctx.mark_with("node", &own);
    insist(|| turn(&ctx, "/mutex", &own)).await?;
    ctx.mark_with("holds", &own);
    ctx.work("work").await;
    ctx.unmark("holds");
    if SURELY {
        delete_surely(&ctx, &own).await?;
    } else {
        let _ = ctx.zookeeper().delete(&own, None).await;
    }
    ctx.unmark("node");
    Ok(())
}

/// The faulty mutex and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O40 release forgets",
        source: "https://github.com/apache/curator/issues/1193",
        about: "Two users of a mutex whose release sends its delete once and forgets the node whatever comes of it. \
                Repaired: it forgets the node when it is deleted for certain.",
        violates: "every node is known to its client",
    }
    .pair(
        |s| s.clients(2, user::<false>),
        |s| s.clients(2, user::<true>),
        |s| {
            s.node("/mutex").disconnects(1).properties([
                every_node_is_known("/mutex"),
                no_program_fails(),
                somebody_holds(),
                everybody_is_done(),
            ])
        },
    )
}
