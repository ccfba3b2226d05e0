//! O25: a latch that is started before the first connection waits for a *re*connection.
//!
//! `start()` runs while the client is not connected, and the create fails. The first connection is told as
//! "connected"; the latch makes its node only on "reconnected".
//!
//! Smallest: 1 client. Source: <https://issues.apache.org/jira/browse/CURATOR-110>.

use overtake_recipes::{Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::properties::every_candidate_has_a_node;
use super::report::Report;
use super::steps::{enqueue, is_lost};
use crate::property::*;
use crate::scenario::Scenario;

async fn latch<const ON_EITHER: bool>(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let mut events = zk.session_events();
    let connecting = ctx.clone();
    ctx.spawn(async move {
        let _ = connecting.zookeeper().connect().await;
    });
    ctx.work("until the application starts the latch").await;
    // Without a session the create fails at once, and a later event is to make up for it.
    if enqueue(&ctx, "/latch/n-").await.is_ok() {
        return Ok(());
    }
    ctx.mark("started early");
    let mut was_connected = false;
    loop {
        match events.next().await {
            WatchedEvent::Session(SessionState::Connected) if ON_EITHER || was_connected => {
                return match enqueue(&ctx, "/latch/n-").await {
                    Ok(_) => Ok(()),
                    Err(error) if is_lost(error) => {
                        ctx.mark("gave up");
                        Ok(())
                    }
                    Err(error) => Err(error),
                };
            }
            WatchedEvent::Session(SessionState::Connected) => was_connected = true,
            WatchedEvent::Session(SessionState::Expired) => {
                ctx.mark("gave up");
                return Ok(());
            }
            _ => {}
        }
    }
}

/// The faulty latch and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O25 first connection ignored",
        source: "https://issues.apache.org/jira/browse/CURATOR-110",
        about: "An application connects in the background and starts a latch meanwhile. A latch that is started too early \
                makes its node when it is connected again, but not when it is connected. Repaired: on either.",
        violates: "every candidate has a node",
    }
    .pair(
        |s| s.clients(1, latch::<false>).unconnected(),
        |s| s.clients(1, latch::<true>).unconnected(),
        |s| {
            s.node("/latch").properties([
                every_candidate_has_a_node("/latch"),
                no_program_fails(),
                somebody_is(&["started early"], "the latch is started before the connection"),
                everybody_is_done(),
            ])
        },
    )
}
