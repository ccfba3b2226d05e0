//! O35: the search for the predecessor starts at a number that a node can have.
//!
//! The holder has number 0. A waiter looks for the largest number below its own, strictly above its start value 0: it
//! finds no name, asks for the node with the empty name, is told that there is none, and tries again at full speed.
//!
//! Smallest: 2 clients under a fresh parent. Source: <https://github.com/samuel/go-zookeeper/pull/145>.

use overtake_recipes::{Environment, ZkError, names};
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::{enqueue, hold, line, wait_for};
use crate::property::*;
use crate::scenario::Scenario;

async fn user<const BELOW_ALL: bool>(ctx: Context) -> Result<(), ZkError> {
    let number = |path: &str| names::suffix(path).expect("a numbered node");
    let own = enqueue(&ctx, "/lock/n-").await?;
    ctx.mark("wants");
    loop {
        ctx.checkpoint("lock: look", &[&own]);
        let line = line(&ctx, "/lock").await?;
        if line[0] == own {
            ctx.unmark("wants");
            return hold(&ctx, &own).await;
        }
        // When no name is found, the one that is left names no node.
        let (mut highest, mut before) = (if BELOW_ALL { -1 } else { 0 }, "/lock/n-");
        for path in &line {
            if number(path) > highest && number(path) < number(&own) {
                (highest, before) = (number(path), path);
            }
        }
        wait_for(&ctx, before).await?;
    }
}

/// The faulty lock and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O35 spins from zero",
        source: "https://github.com/samuel/go-zookeeper/pull/145",
        about: "Two users of a lock under a fresh parent. The one behind number 0 finds no number strictly between 0 and its \
                own and asks on and on. Repaired: the search starts below every number.",
        violates: "requests while blocked",
    }
    .pair(
        |s| s.clients(2, user::<false>),
        |s| s.clients(2, user::<true>),
        |s| {
            s.node("/lock").literal_numbers().count_requests().properties([
                requests_while_blocked_at_most(6),
                at_most_one_live_holder(),
                no_wait_without_wake_up(),
                no_program_fails(),
                somebody_holds(),
                everybody_is_done(),
            ])
        },
    )
}
