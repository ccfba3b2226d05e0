//! O56, hashicorp/consul#4935: a lock is reported as lost and kept.
//!
//! *Mechanism:* a short outage makes the monitor report "lost", and the application stops. Meanwhile the session is
//! kept alive, so the key stays held: nobody works, and nobody can lock. *Smallest configuration:* 2 clients, 1
//! outage shorter than the session. *Source:* <https://github.com/hashicorp/consul/pull/4935>. *Violated:* the
//! reported loss and the actual release agree. *Repair:* release on loss.
//!
//! Translated from Consul: the key is an ephemeral node, the monitor the events of the connection.

use futures_util::future::{Either, select};
use overtake_recipes::{Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::requests::{give_back, take};
use crate::property::*;
use crate::scenario::{Scenario, scenario};

const KEY: &str = "/keys/leader";

async fn lost(ctx: &Context) {
    let mut events = ctx.zookeeper().session_events();
    while events.next().await != WatchedEvent::Session(SessionState::Disconnected) {}
}

async fn lead(ctx: Context, tidy: bool) -> Result<(), ZkError> {
    take(&ctx, KEY).await?;
    ctx.mark("holds");
    let done = match select(Box::pin(ctx.work("lead")), Box::pin(lost(&ctx))).await {
        Either::Left(_) => true,
        Either::Right(_) => false,
    };
    ctx.unmark("holds");
    if !done {
        ctx.mark("gave up");
    }
    if done || tidy {
        give_back(&ctx, "give back", KEY).await?;
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about(
                "The connection of a leader breaks for a moment. It is told that the lock is lost and stops, but its \
                 session lives, and with it the lock.",
            )
            .source("https://github.com/hashicorp/consul/pull/4935")
            .node("/keys")
            .disconnects(1)
            .properties([
                failed_calls_leave_nothing("/keys"),
                no_program_fails(),
                somebody_holds(),
                somebody_is(&["gave up"], "a leader is told of a loss"),
                everybody_is_done(),
            ])
    };
    vec![
        world("O56 loss without release")
            .clients(2, |ctx| lead(ctx, false))
            .breaks("failed calls leave nothing")
            .fixed_by("O56 loss without release, repaired"),
        world("O56 loss without release, repaired").clients(2, |ctx| lead(ctx, true)),
    ]
}
