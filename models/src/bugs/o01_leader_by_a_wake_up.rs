//! O01: a wake-up is taken for leadership.
//!
//! Three candidates stand in line, each watches the one before its own. The one in the middle closes. The last sees
//! its predecessor go, takes that for being the first, and leads beside the leader.
//!
//! Smallest: 3 clients, one leaves out of the middle. Source: <https://github.com/Netflix/curator/issues/115>.

use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::{enqueue, hold, line, place, wait_for};
use crate::property::*;
use crate::scenario::Scenario;

/// Leads when it is its turn; may be closed while it waits.
async fn candidate<const LISTS_AGAIN: bool>(ctx: Context) -> Result<(), ZkError> {
    let own = enqueue(&ctx, "/latch/n-").await?;
    let turn = turn::<LISTS_AGAIN>(&ctx, &own);
    match ctx.cancellable(turn).await.transpose()? {
        Some(()) => hold(&ctx, &own).await,
        None => ctx.zookeeper().delete(&own, None).await,
    }
}

async fn turn<const LISTS_AGAIN: bool>(ctx: &Context, own: &str) -> Result<(), ZkError> {
    loop {
        let line = line(ctx, "/latch").await?;
        let at = place(&line, own).expect("nobody else deletes the node");
        if at == 0 {
            return Ok(());
        }
        wait_for(ctx, &line[at - 1]).await?;
        if !LISTS_AGAIN {
            return Ok(());
        }
    }
}

/// The faulty latch and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O01 leader by a wake-up",
        source: "https://github.com/Netflix/curator/issues/115",
        about: "Candidates watch the one before their own; one that is closed leaves the line. A candidate that takes \
                the departure before its own for its turn leads beside the leader. Repaired: it lists again.",
        violates: "at most one live holder",
    }
    .pair(
        |s| s.clients(3, candidate::<false>),
        |s| s.clients(3, candidate::<true>),
        |s| {
            s.node("/latch").interrupts(1).properties([
                at_most_one_live_holder(),
                no_wait_without_wake_up(),
                no_program_fails(),
                somebody_holds(),
                everybody_is_done(),
            ])
        },
    )
}
