//! O13: the holder's "lost" channel is not wired to the session.
//!
//! A lock hands its holder a channel that is to close when the lock is lost. The session ends, the node goes,
//! another client is granted; but nobody watches the session, and the channel stays open.
//!
//! Smallest: 2 clients, 1 expiry. Source: <https://github.com/docker/libkv/pull/156>.

use overtake_recipes::ZkError;
use overtake_sim::program::Context;

use super::properties::a_lost_lock_is_told;
use super::report::Report;
use super::steps::{enqueue, give_up_if_lost, turn};
use crate::property::*;
use crate::scenario::Scenario;
use crate::scenarios::programs::session_lost;

/// The channel that closes when the lock is lost.
async fn lost<const WATCHES_SESSION: bool>(ctx: &Context) {
    match WATCHES_SESSION {
        true => session_lost(ctx).await,
        // Only the holder's own unlock would close it.
        false => std::future::pending().await,
    }
}

async fn lead<const WATCHES_SESSION: bool>(ctx: &Context) -> Result<(), ZkError> {
    let own = enqueue(ctx, "/lock/n-").await?;
    if turn(ctx, "/lock", &own).await? {
        ctx.mark_with("holds", &own);
        lost::<WATCHES_SESSION>(ctx).await;
        ctx.unmark("holds");
        ctx.mark("told");
    }
    Ok(())
}

/// Leads for life, or until it is told that the lock is lost.
async fn leader<const WATCHES_SESSION: bool>(ctx: Context) -> Result<(), ZkError> {
    give_up_if_lost(lead::<WATCHES_SESSION>(&ctx).await)
}

/// The faulty lock and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O13 lost channel never fires",
        source: "https://github.com/docker/libkv/pull/156",
        about: "Two clients that lead for as long as their lock's channel does not tell them that it is lost. Nothing \
                tells the channel of the end of the session. Repaired: it is closed when the session ends.",
        violates: "a lost lock is told",
    }
    .pair(
        |s| s.clients(2, leader::<false>),
        |s| s.clients(2, leader::<true>),
        |s| s.node("/lock").expiries(1).properties([a_lost_lock_is_told(), no_program_fails(), somebody_holds()]),
    )
}
