//! O75, spring-integration#2557: each try leaks a node.
//!
//! *Mechanism:* to make sure that it is connected, each try first creates an ephemeral sequential node, which nobody
//! deletes before the client stops. *Smallest configuration:* 1 client, several rounds. *Source:*
//! <https://github.com/spring-projects/spring-integration/pull/2557>. *Violated:* after some pairs of lock and unlock
//! there are as many nodes as before. *Repair:* a call that only reads.

use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const LOCK: &str = "/locks/job";
const PROBE: &str = "/locks/probe-";

async fn try_lock(ctx: &Context, reads: bool) -> Result<bool, ZkError> {
    let zk = ctx.zookeeper();
    if reads {
        zk.exists("/locks").await?;
    } else {
        zk.create(PROBE, b"", CreateMode::EphemeralSequential).await?;
    }
    match zk.create(LOCK, b"", CreateMode::Ephemeral).await {
        Ok(_) => Ok(true),
        Err(ZkError::NodeExists) => Ok(false),
        Err(error) => Err(error),
    }
}

async fn rounds(ctx: Context, reads: bool) -> Result<(), ZkError> {
    for _ in 0..2 {
        if try_lock(&ctx, reads).await? {
            ctx.mark("holds");
            ctx.work("work").await;
            ctx.unmark("holds");
            ctx.zookeeper().delete(LOCK, None).await?;
        }
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about("Each try makes a node to see whether the connection is there, and leaves it.")
            .source("https://github.com/spring-projects/spring-integration/pull/2557")
            .node("/locks")
            .properties([no_orphan_node("/locks"), no_program_fails(), somebody_holds(), everybody_is_done()])
    };
    vec![
        world("O75 node leaked per try")
            .clients(2, |ctx| rounds(ctx, false))
            .breaks("no orphan node")
            .fixed_by("O75 node leaked per try, repaired"),
        world("O75 node leaked per try, repaired").clients(2, |ctx| rounds(ctx, true)),
    ]
}
