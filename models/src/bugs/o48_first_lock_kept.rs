//! O48, yandex/pgconsul#196: a wait for a second lock times out, and the first lock is kept.
//!
//! *Mechanism:* the winner of an election takes the leader's lock, then waits until the manager's lock is free.
//! The manager has lost its connection, but its session lives; the wait times out, and the error path does not
//! release the leader's lock: nobody is promoted, and nobody else can be. *Smallest configuration:* 2 clients, 2
//! locks, 1 disconnect shorter than the session (without a clock, a manager that is merely slow will do). *Source:*
//! <https://github.com/yandex/pgconsul/pull/196>. *Violated:* a failure after the first of several locks releases
//! it. *Repair:* release in the error path.

use std::time::Duration;

use futures_util::future::{Either, select};
use overtake_recipes::{Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::requests::{give_back, take};
use crate::property::*;
use crate::scenario::{Scenario, scenario};

const LEADER: &str = "/locks/leader";
const MANAGER: &str = "/locks/manager";

async fn manager(ctx: Context) -> Result<(), ZkError> {
    take(&ctx, MANAGER).await?;
    ctx.work("manage").await;
    give_back(&ctx, "give back", MANAGER).await
}

/// Waits until the manager's lock is free, for so long at most. `false`: it is not.
async fn wait_until_free(ctx: &Context) -> Result<bool, ZkError> {
    let zk = ctx.zookeeper();
    let (there, mut watch) = zk.watch_exists(MANAGER).await?;
    if there.is_none() {
        return Ok(true);
    }
    let gone = Box::pin(watch.next());
    let timer = Box::pin(ctx.sleep(Duration::from_secs(10)));
    Ok(matches!(select(gone, timer).await, Either::Left(_)))
}

async fn winner(ctx: Context, tidy: bool) -> Result<(), ZkError> {
    take(&ctx, LEADER).await?;
    if wait_until_free(&ctx).await? {
        ctx.mark("leads");
        ctx.work("promote").await;
        ctx.unmark("leads");
        return give_back(&ctx, "give back", LEADER).await;
    }
    ctx.mark("gave up");
    if tidy {
        give_back(&ctx, "give back", LEADER).await?;
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about(
                "The winner of an election holds the leader's lock and waits for the manager's, whose holder is \
                 disconnected for a while. The wait times out, and the leader's lock is never released.",
            )
            .source("https://github.com/yandex/pgconsul/pull/196")
            .node("/locks")
            .client("manager", manager)
            .disconnects(1)
            .properties([
                failed_calls_leave_nothing("/locks"),
                no_program_fails(),
                somebody_is(&["leads"], "the winner is promoted"),
                somebody_is(&["gave up"], "the winner's wait times out"),
                everybody_is_done(),
            ])
    };
    vec![
        world("O48 first lock kept")
            .client("winner", |ctx| winner(ctx, false))
            .spared()
            .breaks("failed calls leave nothing")
            .fixed_by("O48 first lock kept, repaired"),
        world("O48 first lock kept, repaired").client("winner", |ctx| winner(ctx, true)).spared(),
    ]
}
