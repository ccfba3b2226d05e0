//! O24: the old node is gone before it is deleted, and that ends the election.
//!
//! With a new session, a candidate finds its node of the session before and deletes it. The server ends the old
//! session first: "no node". The error leaves the loop of the election, and the client is never a candidate again.
//!
//! Smallest: 1 client, 1 expiry. Source: <https://github.com/Netflix/curator/issues/118>.

use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::properties::every_candidate_has_a_node;
use super::report::Report;
use super::steps::{enqueue, is_lost, line, place, reconnect};
use crate::property::*;
use crate::scenario::Scenario;
use crate::scenarios::programs::session_lost;

/// Stands for as long as the session lives, after it has taken away the node of the session before.
async fn stand<const TOLERANT: bool>(ctx: &Context, own: &mut Option<String>) -> Result<(), ZkError> {
    if let Some(old) = own.take()
        && place(&line(ctx, "/leader").await?, &old).is_some()
    {
        match ctx.zookeeper().delete(&old, None).await {
            Err(ZkError::NoNode) if TOLERANT => {}
            answer => answer?,
        }
        ctx.mark("cleaned up");
    }
    *own = Some(enqueue(ctx, "/leader/n-").await?);
    ctx.work("lead").await;
    ctx.zookeeper().sync("/").await?;
    session_lost(ctx).await;
    Err(ZkError::SessionExpired)
}

async fn candidate<const TOLERANT: bool>(ctx: Context) {
    let mut own = None;
    // An error other than a lost connection leaves the election, as does the loss of a second session.
    let mut stood = stand::<TOLERANT>(&ctx, &mut own).await;
    if stood.is_err_and(is_lost) {
        stood = reconnect(&ctx).await;
        if stood.is_ok() {
            stood = stand::<TOLERANT>(&ctx, &mut own).await;
        }
        if stood.is_err_and(is_lost) {
            ctx.mark("gave up");
        }
    }
}

/// The faulty selector and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O24 clean-up error ends candidacy",
        source: "https://github.com/Netflix/curator/issues/118",
        about: "A candidate with a new session deletes the node that it had in the old one. When that is gone already, the \
                error ends the election. Repaired: a node that is gone is deleted.",
        violates: "every candidate has a node",
    }
    .pair(
        |s| s.clients(1, candidate::<false>),
        |s| s.clients(1, candidate::<true>),
        |s| {
            s.node("/leader").expiries(1).properties([
                every_candidate_has_a_node("/leader"),
                no_program_fails(),
                somebody_is(&["cleaned up"], "the old node is cleaned up"),
            ])
        },
    )
}
