//! O80, KAFKA-6082: the writes of a controller are not fenced by its epoch.
//!
//! *Mechanism:* a controller pauses with writes in its queue, and its session expires. Another becomes controller and
//! raises the epoch. The first resumes; its client has a new session, and the queued writes overwrite the state of
//! the second. *Smallest configuration:* 2 clients, 1 expiry. *Source:* <https://github.com/apache/kafka/pull/5101>.
//! *Violated:* a write by a deposed leader is refused by the store. *Repair:* each write goes in one transaction with
//! a check of the epoch node.

use overtake_recipes::{CreateMode, Environment, Op, Watch, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::properties_b::deposed_leaders_are_refused;
use super::requests::{answered, give_up_if_expired};
use crate::property::*;
use crate::scenario::{Scenario, scenario};

const CONTROLLER: &str = "/controller";
const EPOCH: &str = "/epoch";
const STATE: &str = "/state";

/// Becomes controller and answers the epoch.
async fn elect(ctx: &Context) -> Result<i32, ZkError> {
    let zk = ctx.zookeeper();
    loop {
        ctx.checkpoint("elect", &[]);
        match answered(ctx, || zk.create(CONTROLLER, b"", CreateMode::Ephemeral)).await {
            Ok(_) => return Ok(answered(ctx, || zk.set_data(EPOCH, b"", None)).await?.version),
            Err(ZkError::NodeExists) => {
                let (there, mut watch) = answered(ctx, || zk.watch_exists(CONTROLLER)).await?;
                if there.is_some() {
                    watch.next().await;
                }
            }
            Err(error) => return Err(error),
        }
    }
}

async fn write(ctx: &Context, epoch: i32, fenced: bool) -> Result<(), ZkError> {
    let mut ops = vec![Op::SetData { path: STATE.into(), data: epoch.to_string().into_bytes(), version: None }];
    if fenced {
        let path = EPOCH.into();
        let version = Some(epoch);
        ops.insert(0, Op::Check { path, version });
    }
    let zk = ctx.zookeeper();
    answered(ctx, || zk.multi(ops.clone())).await.map(drop)
}

/// A queued write is sent again in a new session when the old one is over.
async fn control(ctx: Context, fenced: bool) -> Result<(), ZkError> {
    let epoch = elect(&ctx).await?;
    let mut written = write(&ctx, epoch, fenced).await;
    if written == Err(ZkError::SessionExpired) {
        ctx.zookeeper().connect().await?;
        written = write(&ctx, epoch, fenced).await;
    }
    match written {
        Ok(()) => ctx.mark_with("wrote", &epoch.to_string()),
        Err(ZkError::BadVersion) => ctx.mark("deposed"),
        Err(error) => return Err(error),
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, fenced| {
        scenario(name)
            .about(
                "A controller's session expires while a write of its waits in the queue. Another controller writes; then \
                 the write of the first is sent, in a new session, and taken.",
            )
            .source("https://github.com/apache/kafka/pull/5101")
            .node(EPOCH)
            .node(STATE)
            .clients(2, move |ctx| async move { give_up_if_expired(control(ctx, fenced).await) })
            .expiries(1)
            .properties([
                deposed_leaders_are_refused(STATE),
                no_program_fails(),
                somebody_is(&["wrote"], "a controller writes"),
            ])
    };
    vec![
        world("O80 unfenced controller", false)
            .breaks("deposed leaders are refused")
            .fixed_by("O80 unfenced controller, repaired"),
        world("O80 unfenced controller, repaired", true)
            .property(somebody_is(&["deposed"], "a deposed controller is refused")),
    ]
}
