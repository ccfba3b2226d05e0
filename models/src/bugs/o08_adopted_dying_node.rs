//! O08: the search after a lost reply finds a node of the session that is closing.
//!
//! The reply of a create is lost, and the session with it. The retry, in a new session, looks for the id in the
//! names and finds the node: the end of the old session is not yet applied. The client adopts a node that goes the
//! next moment. (The report blames a server that lags behind; the one server between the two stages of an expiry
//! answers alike.)
//!
//! Smallest: 1 client, 1 disconnect, 1 expiry. Source: <https://github.com/apache/curator/issues/1018>.

use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::{enqueue, give_up_if_lost, is_lost, line, reconnect};
use crate::property::*;
use crate::scenario::Scenario;

/// Creates the one node with the id in its name; tries again once when the connection or the session is lost.
async fn create<const REMEMBERS: bool>(ctx: &Context) -> Result<String, ZkError> {
    let zk = ctx.zookeeper();
    let prefix = format!("/lock/{}-n-", ctx.unique_id());
    let began = zk.session_id();
    match enqueue(ctx, &prefix).await {
        Err(error) if is_lost(error) => reconnect(ctx).await?,
        answer => return answer,
    }
    let line = line(ctx, "/lock").await?;
    match line.into_iter().find(|path| path.starts_with(&prefix)) {
        Some(old) if REMEMBERS && zk.session_id() != began => match zk.delete(&old, None).await {
            Ok(()) | Err(ZkError::NoNode) => enqueue(ctx, &prefix).await,
            Err(error) => Err(error),
        },
        Some(path) => Ok(path),
        None => enqueue(ctx, &prefix).await,
    }
}

async fn user<const REMEMBERS: bool>(ctx: Context) -> Result<(), ZkError> {
    match create::<REMEMBERS>(&ctx).await {
        Ok(own) => {
            ctx.mark_with("holds", &own);
            ctx.work("work").await;
            ctx.unmark("holds");
            Ok(())
        }
        Err(error) => give_up_if_lost(Err(error)),
    }
}

/// The faulty create and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O08 adopted dying node",
        source: "https://github.com/apache/curator/issues/1018",
        about: "A client creates a node with an id in its name and looks for the id when the reply is lost. When the \
                session changed in between, it may find a node that is as good as gone. Repaired: it remembers the \
                session, deletes what another session made, and creates anew.",
        violates: "grant rests on a live node of the own session",
    }
    .pair(
        |s| s.clients(1, user::<false>),
        |s| s.clients(1, user::<true>),
        |s| {
            s.node("/lock").disconnects(1).expiries(1).properties([
                grant_rests_on_own_live_node(),
                no_program_fails(),
                somebody_holds(),
                everybody_is_done(),
            ])
        },
    )
}
