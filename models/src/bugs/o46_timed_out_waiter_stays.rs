//! O46: a wait that times out leaves its node in the line.
//!
//! A waiter is cut off by its time limit while it is blocked. Its node is not deleted, and the line is stuck behind one
//! who left.
//!
//! Smallest: 2 clients, 1 time-out. Source: <https://github.com/zk-ruby/zk/issues/49>.

use std::time::Duration;

use futures_util::future::{Either, select};
use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::properties::who_left_owns_nothing;
use super::report::Report;
use super::steps::{enqueue, hold, turn};
use crate::property::*;
use crate::scenario::Scenario;

async fn user<const CLEANS_UP: bool>(ctx: Context) -> Result<(), ZkError> {
    let own = enqueue(&ctx, "/lock/n-").await?;
    let in_time = {
        let turn = std::pin::pin!(turn(&ctx, "/lock", &own));
        let timer = std::pin::pin!(ctx.sleep(Duration::from_secs(1)));
        match select(turn, timer).await {
            Either::Left((turn, _)) => turn?,
            Either::Right(((), _)) => false,
        }
    };
    if in_time {
        return hold(&ctx, &own).await;
    }
    if CLEANS_UP {
        ctx.zookeeper().delete(&own, None).await?;
    }
    ctx.mark("left");
    Ok(())
}

/// The faulty lock and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O46 timed-out waiter stays",
        source: "https://github.com/zk-ruby/zk/issues/49",
        about: "Two users of a lock wait for so long at most. One whose time is over leaves without its node. Repaired: \
                whatever ends the wait, the node is deleted.",
        violates: "who left owns no node",
    }
    .pair(
        |s| s.clients(2, user::<false>),
        |s| s.clients(2, user::<true>),
        |s| {
            s.node("/lock").properties([
                who_left_owns_nothing("/lock"),
                no_program_fails(),
                somebody_holds(),
                somebody_is(&["left"], "a wait times out"),
                everybody_is_done(),
            ])
        },
    )
}
