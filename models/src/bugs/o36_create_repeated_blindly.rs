//! O36: the reply of a create is lost, and the client creates again.
//!
//! The server has made the node when the connection breaks. Connected again in the same session, the client creates
//! another node. Nobody knows the first, which stands in its client's own way.
//!
//! Smallest: 1 client, 1 break after the create is applied. Source: <https://github.com/Netflix/curator/issues/3>.

use overtake_recipes::ZkError;
use overtake_sim::program::Context;

use super::properties::every_node_is_known;
use super::report::Report;
use super::steps::{delete_surely, enqueue, enqueue_once, insist, own_prefix, turn};
use crate::property::*;
use crate::scenario::Scenario;

async fn user<const SEARCHES: bool>(ctx: Context) -> Result<(), ZkError> {
    let prefix = own_prefix(&ctx, "/lock");
    let own = match SEARCHES {
        true => enqueue_once(&ctx, "/lock", &prefix).await?,
        false => insist(|| enqueue(&ctx, &prefix)).await?,
    };
    ctx.mark_with("node", &own);
    insist(|| turn(&ctx, "/lock", &own)).await?;
    ctx.mark_with("holds", &own);
    ctx.work("work").await;
    ctx.unmark("holds");
    delete_surely(&ctx, &own).await?;
    ctx.unmark("node");
    Ok(())
}

/// The faulty lock and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O36 create repeated blindly",
        source: "https://github.com/Netflix/curator/issues/3",
        about: "A client creates its node again when the reply is lost. If the first create had been applied, a node stays \
                that nobody knows. Repaired: the name carries an id, which is looked for before another create.",
        violates: "every node is known to its client",
    }
    .pair(
        |s| s.clients(1, user::<false>),
        |s| s.clients(1, user::<true>),
        |s| {
            s.node("/lock").disconnects(1).properties([
                every_node_is_known("/lock"),
                no_program_fails(),
                somebody_holds(),
                everybody_is_done(),
            ])
        },
    )
}
