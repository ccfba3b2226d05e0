//! O38: a create is interrupted between the request and its reply.
//!
//! The server has made the node when the waiting thread is interrupted. The interruption goes past the clean-up, which
//! is meant for lost connections; nobody knows the node.
//!
//! Smallest: 1 client, 1 interrupt. Source: <https://github.com/apache/curator/issues/600>.

use overtake_recipes::ZkError;
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::{delete_surely, enqueue, find, hold, own_prefix, turn};
use crate::property::*;
use crate::scenario::Scenario;

async fn user<const CLEANS_UP: bool>(ctx: Context) -> Result<(), ZkError> {
    let prefix = own_prefix(&ctx, "/lock");
    if let Some(created) = ctx.cancellable(enqueue(&ctx, &prefix)).await {
        let own = created?;
        turn(&ctx, "/lock", &own).await?;
        return hold(&ctx, &own).await;
    }
    ctx.mark("gave up");
    if CLEANS_UP && let Some(path) = find(&ctx, "/lock", &prefix).await? {
        delete_surely(&ctx, &path).await?;
    }
    Ok(())
}

/// The faulty lock and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O38 interrupted create",
        source: "https://github.com/apache/curator/issues/600",
        about: "A client that may be interrupted while it waits for the reply of its create, and then does not know its \
                node. Repaired: whatever ends the wait, the id in the name is looked for and the node deleted.",
        violates: "failed calls leave nothing",
    }
    .pair(
        |s| s.clients(1, user::<false>),
        |s| s.clients(1, user::<true>),
        |s| {
            s.node("/lock").interrupts(1).properties([
                failed_calls_leave_nothing("/lock"),
                no_program_fails(),
                somebody_holds(),
                somebody_is(&["gave up"], "a call is interrupted"),
                everybody_is_done(),
            ])
        },
    )
}
