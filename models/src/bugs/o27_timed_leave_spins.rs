//! O27: `leave` with a time limit goes on for ever once the time is over.
//!
//! A member leaves a double barrier and waits, for so long at most, until the others have left. When the time is over
//! the result is set to "no", but the loop goes on: without anything left to wait, it asks and asks.
//!
//! Smallest: 2 members, one never leaves. Source: <https://github.com/apache/curator/issues/1055>.

use std::time::Duration;

use futures_util::future::{Either, select};
use overtake_recipes::{Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::enqueue;
use crate::property::*;
use crate::scenario::Scenario;

async fn leave<const BREAKS: bool>(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let mut timer = std::pin::pin!(ctx.sleep(Duration::from_secs(1)));
    let mut overdue = false;
    loop {
        ctx.checkpoint("leave", &[if overdue { "overdue" } else { "in time" }]);
        let (members, mut changes) = zk.watch_children("/barrier").await?;
        if members.is_empty() {
            break;
        }
        if overdue {
            // No time is left to wait.
            continue;
        }
        if let Either::Right(_) = select(std::pin::pin!(changes.next()), timer.as_mut()).await {
            ctx.mark("overdue");
            overdue = true;
            if BREAKS {
                break;
            }
        }
    }
    ctx.unmark("overdue");
    Ok(())
}

/// Has entered, and is slow to leave.
async fn stayer(ctx: Context) -> Result<(), ZkError> {
    let own = enqueue(&ctx, "/barrier/m-").await?;
    ctx.work("work").await;
    ctx.zookeeper().delete(&own, None).await
}

/// The faulty barrier and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O27 timed leave spins",
        source: "https://github.com/apache/curator/issues/1055",
        about: "A member of a double barrier leaves with a time limit, another is slow to leave. When the time is over the \
                first asks for the members over and over. Repaired: it breaks off.",
        violates: "a timed call returns",
    }
    .pair(
        |s| s.client("leaver", leave::<false>),
        |s| s.client("leaver", leave::<true>),
        |s| {
            let late = |view: &overtake_sim::world::View<'_>| {
                let mut clients = view.clients();
                match clients.find(|c| c.is_marked("overdue") && c.requests_since_event() > 3) {
                    Some(c) => Err(format!("the time of {} is over, and it goes on and on", c.name())),
                    None => Ok(()),
                }
            };
            s.client("stayer", stayer).node("/barrier").count_requests().properties([
                Property::always("a timed call returns", "CURATOR-536", late).where_marked(&["overdue"], 1),
                no_wait_without_wake_up(),
                no_program_fails(),
                everybody_is_done(),
            ])
        },
    )
}
