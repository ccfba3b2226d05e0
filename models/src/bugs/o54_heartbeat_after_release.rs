//! O54, tristanls/dynamodb-lock-client#1: the heartbeat goes on after the release.
//!
//! *Mechanism:* while a heartbeat is in flight, `release` clears the timer and deletes the record. The answer to
//! the heartbeat arms the timer again; the next heartbeat writes the record anew, as a `put` does, and the lock is
//! taken for ever by nobody. *Smallest configuration:* 1 client, 1 late answer. *Source:*
//! <https://github.com/tristanls/dynamodb-lock-client/issues/1>. *Violated:* no renewal after the release.
//! *Repair:* the callback looks whether the lock is released.
//!
//! Translated from DynamoDB: the record is a persistent node, the `put` a write or else a create. The number of
//! heartbeats is bounded.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper};
use overtake_sim::names::Text;
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const RECORD: &str = "/locks/job";

#[derive(Default)]
struct Timer {
    armed: Cell<bool>,
    released: Cell<bool>,
}

async fn put(ctx: &Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    match zk.set_data(RECORD, b"", None).await {
        Err(ZkError::NoNode) => drop(zk.create(RECORD, b"", CreateMode::Persistent).await?),
        answer => drop(answer?),
    }
    Ok(())
}

async fn heartbeats(ctx: Context, timer: Rc<Timer>, looks: bool) {
    for _ in 0..2 {
        if looks && timer.released.get() {
            return;
        }
        timer.armed.set(true);
        ctx.sleep(Duration::from_secs(1)).await;
        if !timer.armed.get() || put(&ctx).await.is_err() {
            return;
        }
    }
}

async fn hold(ctx: Context, looks: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    zk.create(RECORD, b"", CreateMode::Persistent).await?;
    ctx.mark("holds");
    let timer = Rc::new(Timer::default());
    ctx.spawn(heartbeats(ctx.clone(), timer.clone(), looks));
    ctx.work("work").await;
    ctx.unmark("holds");
    timer.armed.set(false);
    timer.released.set(true);
    zk.delete(RECORD, None).await?;
    ctx.mark("released");
    Ok(())
}

fn no_renewal_after_release() -> Property {
    let record = Text::new(RECORD);
    Property::always("no renewal after the release", "tristanls/dynamodb-lock-client#1", move |view| {
        match view.clients().find(|c| c.is_marked("released")) {
            Some(c) if view.zookeeper().node(record).is_some() => {
                Err(format!("{} has released the lock, and {} is there again", c.name(), record.short()))
            }
            _ => Ok(()),
        }
    })
    .where_marked(&["released"], 1)
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about(
                "A lock is released while a heartbeat is on its way. The answer to the heartbeat arms the timer again, \
                 and the next heartbeat writes the record of a lock that nobody holds.",
            )
            .source("https://github.com/tristanls/dynamodb-lock-client/issues/1")
            .node("/locks")
            .properties([
                no_renewal_after_release(),
                no_program_fails(),
                somebody_is(&["released"], "the lock is released"),
                everybody_is_done(),
            ])
    };
    vec![
        world("O54 heartbeat after release")
            .clients(1, |ctx| hold(ctx, false))
            .breaks("no renewal after the release")
            .fixed_by("O54 heartbeat after release, repaired"),
        world("O54 heartbeat after release, repaired").clients(1, |ctx| hold(ctx, true)),
    ]
}
