//! O84, CURATOR-645: two latches reset each other for ever.
//!
//! *Mechanism:* one candidate is about to watch its predecessor. The predecessor, connected again, deletes its node
//! and creates another behind the first, whose predecessor is gone now: it resets too, deletes and creates. Now it
//! stands behind the other, whose predecessor is gone, and so on. *Smallest configuration:* 2 clients, 1 reconnect,
//! an adverse order. *Source:* <https://github.com/apache/curator/issues/1161>. *Violated:* with stable connections
//! some candidate becomes leader; here a leader leads for a while and ends, so everybody ends. *Repair:* when the
//! predecessor is gone list again and keep the node.

use futures_util::future::{Either, select};
use overtake_recipes::lock::search::find;
use overtake_recipes::names::{contenders, join};
use overtake_recipes::retry::{PAUSE, is_loss, retry};
use overtake_recipes::{CreateMode, Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::requests::give_back;
use crate::property::*;
use crate::scenario::{Scenario, scenario};

const LATCH: &str = "/latch";

/// Creates a node; a candidate has one at a time, so one id does for all of them.
async fn stand(ctx: &Context, id: &str) -> Result<String, ZkError> {
    let zk = ctx.zookeeper();
    loop {
        ctx.checkpoint("stand", &[id]);
        let path = join(LATCH, &format!("{id}-n-"));
        match zk.create(&path, b"", CreateMode::EphemeralSequential).await {
            Ok(path) => return Ok(path),
            Err(error) if is_loss(error) => ctx.sleep(PAUSE).await,
            Err(error) => return Err(error),
        }
        if let Some(name) = find(ctx, "find", &[id], LATCH, id).await? {
            return Ok(join(LATCH, &name));
        }
    }
}

async fn reset(ctx: &Context, id: &str, me: &str) -> Result<String, ZkError> {
    ctx.mark("has reset");
    give_back(ctx, "reset", me).await?;
    stand(ctx, id).await
}

/// Leads for a while. `false`: the connection was broken and is back.
async fn lead(ctx: &Context) -> bool {
    let mut events = ctx.zookeeper().session_events();
    let connected = async { while events.next().await != WatchedEvent::Session(SessionState::Connected) {} };
    ctx.mark("leads");
    let done = select(Box::pin(ctx.work("lead")), Box::pin(connected)).await;
    ctx.unmark("leads");
    matches!(done, Either::Left(_))
}

async fn latch(ctx: Context, keeps: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let id = ctx.unique_id();
    let mut me = stand(&ctx, &id).await?;
    loop {
        let names = retry(&ctx, "list", &[&me], || zk.children(LATCH)).await?;
        let names: Vec<String> = contenders(names).iter().map(|name| join(LATCH, name)).collect();
        let at = names.iter().position(|name| *name == me);
        let Some(before) = at.and_then(|at| names[..at].last()) else {
            if lead(&ctx).await {
                return give_back(&ctx, "leave", &me).await;
            }
            me = reset(&ctx, &id, &me).await?;
            continue;
        };
        match retry(&ctx, "watch", &[&me, before], || zk.watch_data(before)).await {
            Ok((_, _, mut watch)) => while !matches!(watch.next().await, WatchedEvent::Node { .. }) {},
            Err(ZkError::NoNode) if keeps => {}
            Err(ZkError::NoNode) => me = reset(&ctx, &id, &me).await?,
            Err(error) => return Err(error),
        }
    }
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, keeps| {
        scenario(name)
            .about(
                "A leader reconnects and stands anew. Its successor finds its predecessor gone and stands anew as well; \
                 behind it the first finds its predecessor gone, and so on for ever.",
            )
            .source("https://github.com/apache/curator/issues/1161")
            .node(LATCH)
            .clients(2, move |ctx| latch(ctx, keeps))
            .disconnects(1)
            .properties([
                everybody_ends(),
                no_wait_without_wake_up(),
                no_orphan_node(LATCH),
                no_program_fails(),
                somebody_is(&["leads"], "somebody leads"),
                somebody_is(&["has reset"], "somebody resets"),
                everybody_is_done(),
            ])
    };
    vec![
        world("O84 latches reset each other", false)
            .breaks("everybody ends")
            .fixed_by("O84 latches reset each other, repaired"),
        world("O84 latches reset each other, repaired", true),
    ]
}
