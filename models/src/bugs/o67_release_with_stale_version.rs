//! O67, tristanls/dynamodb-lock-client#21: a release names a version that a heartbeat in flight has replaced.
//!
//! *Mechanism:* a heartbeat changes the version of the record at the server. Before its answer arrives, the release
//! is sent with the version known so far: the condition fails, and the lock stays until the lease ends. *Smallest
//! configuration:* 1 client, 2 overlapping calls. *Source:*
//! <https://github.com/tristanls/dynamodb-lock-client/issues/21>. *Violated:* one conditional write at a time, so
//! that a released lock is free. *Repair:* wait for the heartbeat before the release.
//!
//! Translated from DynamoDB: the record is a node with its data version.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const RECORD: &str = "/locks/job";

/// What is known of the record.
#[derive(Default)]
struct Known {
    version: Cell<i32>,
    released: Cell<bool>,
}

async fn heartbeat(ctx: Context, known: Rc<Known>) {
    ctx.sleep(Duration::from_secs(1)).await;
    if known.released.get() {
        return;
    }
    let version = Some(known.version.get());
    if let Ok(stat) = ctx.zookeeper().set_data(RECORD, b"", version).await {
        known.version.set(stat.version);
    }
}

async fn hold(ctx: Context, waits: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    zk.create(RECORD, b"", CreateMode::Ephemeral).await?;
    ctx.mark("holds");
    let known = Rc::new(Known::default());
    let beat = ctx.spawn_task(heartbeat(ctx.clone(), known.clone()));
    ctx.work("work").await;
    ctx.unmark("holds");
    known.released.set(true);
    if waits {
        beat.await;
    }
    match zk.delete(RECORD, Some(known.version.get())).await {
        // Somebody else's by now, the client thinks.
        Err(ZkError::BadVersion | ZkError::NoNode) => Ok(()),
        answer => answer,
    }
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about(
                "A lock is released while a heartbeat is in flight. The heartbeat changes the version, so the release \
                 names an old one and is refused; the lock stays.",
            )
            .source("https://github.com/tristanls/dynamodb-lock-client/issues/21")
            .node("/locks")
            .properties([no_orphan_node("/locks"), no_program_fails(), somebody_holds(), everybody_is_done()])
    };
    vec![
        world("O67 release with a stale version")
            .clients(1, |ctx| hold(ctx, false))
            .breaks("no orphan node")
            .fixed_by("O67 release with a stale version, repaired"),
        world("O67 release with a stale version, repaired").clients(1, |ctx| hold(ctx, true)),
    ]
}
