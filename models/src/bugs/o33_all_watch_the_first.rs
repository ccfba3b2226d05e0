//! O33: all waiters watch the first in line.
//!
//! Each waiter watches the lowest node in its way. A release wakes all of them, each lists, and all but one wait again.
//!
//! Smallest: 4 clients. Source: <https://github.com/python-zk/kazoo/commit/7dd4c4c>.

use overtake_recipes::ZkError;
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::{enqueue, hold, line, place, wait_for};
use crate::property::*;
use crate::scenario::Scenario;

async fn user<const NEAREST: bool>(ctx: Context) -> Result<(), ZkError> {
    let own = enqueue(&ctx, "/lock/n-").await?;
    loop {
        let line = line(&ctx, "/lock").await?;
        let at = place(&line, &own).expect("nobody else deletes the node");
        if at == 0 {
            return hold(&ctx, &own).await;
        }
        wait_for(&ctx, if NEAREST { &line[at - 1] } else { &line[0] }).await?;
    }
}

/// The faulty lock and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O33 all watch the first",
        source: "https://github.com/python-zk/kazoo/commit/7dd4c4c",
        about: "Four users of a lock, each of which watches the lowest node in its way: a release wakes all who wait. \
                Repaired: each watches the nearest.",
        violates: "wake-ups per release",
    }
    .pair(
        |s| s.clients(4, user::<false>),
        |s| s.clients(4, user::<true>),
        |s| {
            s.node("/lock").properties([
                wake_ups_per_release_at_most(1),
                at_most_one_live_holder(),
                no_wait_without_wake_up(),
                no_program_fails(),
                somebody_holds(),
                everybody_is_done(),
            ])
        },
    )
}
