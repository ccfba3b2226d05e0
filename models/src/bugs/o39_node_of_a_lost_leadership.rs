//! O39: a leader gives up when its connection breaks, and keeps its node when the session comes back.
//!
//! The leader sees the break and gives up; its delete cannot be sent. Connected again in the same session, it queues
//! with a new node, behind its old one: nobody leads.
//!
//! Smallest: 1 client, 1 break shorter than the session. Source: <https://github.com/apache/curator/issues/723>.

use futures_util::future::{Either, select};
use overtake_recipes::{Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::program::{Context, SimWatch};

use super::properties::every_node_is_known;
use super::report::Report;
use super::steps::{delete_surely, enqueue_once, insist, own_prefix, turn};
use crate::property::*;
use crate::scenario::Scenario;

async fn until(events: &mut SimWatch, state: SessionState) {
    while events.next().await != WatchedEvent::Session(state) {}
}

/// Leads once, up to the end of its work or to a break of the connection. `true`: it was a break.
async fn lead<const INSISTS: bool>(ctx: &Context) -> Result<bool, ZkError> {
    let own = enqueue_once(ctx, "/leader", &own_prefix(ctx, "/leader")).await?;
    ctx.mark_with("node", &own);
    insist(|| turn(ctx, "/leader", &own)).await?;
    ctx.mark_with("holds", &own);
    let mut events = ctx.zookeeper().session_events();
    let suspended = {
        let work = std::pin::pin!(ctx.work("lead"));
        let broken = std::pin::pin!(until(&mut events, SessionState::Disconnected));
        matches!(select(work, broken).await, Either::Right(_))
    };
    ctx.unmark("holds");
    if suspended {
        // The library takes no request before it is connected again.
        until(&mut events, SessionState::Connected).await;
    }
    if !suspended || INSISTS {
        delete_surely(ctx, &own).await?;
    }
    ctx.unmark("node");
    Ok(suspended)
}

/// Queues again after a break.
async fn selector<const INSISTS: bool>(ctx: Context) -> Result<(), ZkError> {
    while lead::<INSISTS>(&ctx).await? {}
    Ok(())
}

/// The faulty selector and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O39 node of a lost leadership",
        source: "https://github.com/apache/curator/issues/723",
        about: "A leader that gives up when its connection breaks and queues again afterwards. Its old node, which it could \
                not delete, is still there in the same session. Repaired: the delete is made once it can be.",
        violates: "every node is known to its client",
    }
    .pair(
        |s| s.clients(1, selector::<false>),
        |s| s.clients(1, selector::<true>),
        |s| {
            s.node("/leader").disconnects(1).properties([
                every_node_is_known("/leader"),
                no_program_fails(),
                somebody_holds(),
                everybody_is_done(),
            ])
        },
    )
}
