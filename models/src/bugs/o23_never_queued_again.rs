//! O23: a selector whose leadership is cancelled stays marked as queued.
//!
//! The connection fails, the leader is interrupted, and the election leaves by another exit than the one that takes
//! the mark "queued" back. Each request to queue again finds the mark and does nothing: nobody competes any more.
//!
//! Smallest: 1 client, 1 disconnect. Source: <https://github.com/apache/curator/issues/594>.

use std::cell::Cell;

use futures_util::future::{Either, select};
use overtake_recipes::{Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::properties::every_candidate_has_a_node;
use super::report::Report;
use super::steps::{delete_surely, enqueue_once, insist, own_prefix, turn};
use crate::property::*;
use crate::scenario::Scenario;

/// Leads for life.
async fn lead(ctx: &Context, own: &str) -> Result<(), ZkError> {
    insist(|| turn(ctx, "/leader", own)).await?;
    ctx.mark_with("holds", own);
    std::future::pending().await
}

/// Leads until the connection fails. `true`: it was interrupted.
async fn election(ctx: &Context) -> Result<bool, ZkError> {
    let own = enqueue_once(ctx, "/leader", &own_prefix(ctx, "/leader")).await?;
    let mut events = ctx.zookeeper().session_events();
    let suspended = async { while events.next().await != WatchedEvent::Session(SessionState::Disconnected) {} };
    let interrupted = match select(std::pin::pin!(lead(ctx, &own)), std::pin::pin!(suspended)).await {
        Either::Left((led, _)) => led.map(|()| false)?,
        Either::Right(((), _)) => true,
    };
    ctx.unmark("holds");
    delete_surely(ctx, &own).await?;
    Ok(interrupted)
}

/// Queues again whenever its leadership is over.
async fn selector<const EVERY_EXIT: bool>(ctx: Context) -> Result<(), ZkError> {
    let queued = Cell::new(false);
    while !queued.replace(true) {
        let interrupted = election(&ctx).await?;
        if !interrupted || EVERY_EXIT {
            queued.set(false);
        }
    }
    Ok(())
}

/// The faulty selector and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O23 never queued again",
        source: "https://github.com/apache/curator/issues/594",
        about: "A selector leads until its connection fails and queues again. The election leaves the mark that it is \
                queued when it is interrupted. Repaired: every exit takes it back.",
        violates: "every candidate has a node",
    }
    .pair(
        |s| s.clients(1, selector::<false>),
        |s| s.clients(1, selector::<true>),
        |s| {
            s.node("/leader").disconnects(1).properties([
                every_candidate_has_a_node("/leader"),
                no_program_fails(),
                somebody_holds(),
                Property::sometimes("it leads after the break", |view| {
                    view.budget().disconnects == 0 && view.clients().any(|c| c.is_marked("holds"))
                }),
            ])
        },
    )
}
