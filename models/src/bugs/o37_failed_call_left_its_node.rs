//! O37: the call fails, but its node has been made.
//!
//! The reply of a create is lost and there are no retries left: the call fails. The connection comes back within the
//! session, so the node stays, at the head of the queue, and nobody leads.
//!
//! Smallest: 2 clients, 1 break after the create is applied. Source: <https://github.com/apache/curator/issues/566>.

use overtake_recipes::{Environment, ZkError};
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::{delete_surely, enqueue, find, insist, own_prefix, turn};
use crate::property::*;
use crate::scenario::Scenario;

async fn candidate<const CLEANS_UP: bool>(ctx: Context) -> Result<(), ZkError> {
    let prefix = own_prefix(&ctx, "/leader");
    let own = match enqueue(&ctx, &prefix).await {
        Ok(own) => own,
        Err(_) => {
            // No retries are left.
            ctx.mark("gave up");
            if CLEANS_UP {
                let background = ctx.clone();
                ctx.spawn(async move {
                    if let Ok(Some(path)) = find(&background, "/leader", &prefix).await {
                        let _ = delete_surely(&background, &path).await;
                    }
                });
            }
            return Ok(());
        }
    };
    insist(|| turn(&ctx, "/leader", &own)).await?;
    ctx.mark_with("holds", &own);
    ctx.work("lead").await;
    ctx.unmark("holds");
    delete_surely(&ctx, &own).await
}

/// The faulty selector and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O37 failed call left its node",
        source: "https://github.com/apache/curator/issues/566",
        about: "Two candidates; one whose create is not answered gives up. Its node may be there, and the other waits \
                behind it. Repaired: in the background, the id in its name is looked for and the node deleted.",
        violates: "failed calls leave nothing",
    }
    .pair(
        |s| s.clients(2, candidate::<false>),
        |s| s.clients(2, candidate::<true>),
        |s| {
            s.node("/leader").disconnects(1).properties([
                failed_calls_leave_nothing("/leader"),
                no_program_fails(),
                somebody_holds(),
                somebody_is(&["gave up"], "a call fails"),
                everybody_is_done(),
            ])
        },
    )
}
