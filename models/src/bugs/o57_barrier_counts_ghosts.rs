//! O57, CURATOR-318: a barrier counts members that have timed out.
//!
//! *Mechanism:* members 2 and 3 enter with a time-out, give up, and leave their nodes. Member 1 comes later, counts
//! three of three, and enters alone. *Smallest configuration:* 3 members, 2 time-outs. *Source:*
//! <https://github.com/apache/curator/issues/838>. *Violated:* the members that are counted are inside `enter` or
//! have entered.
//!
//! *Repair:* the first thought, to delete the own node when `enter` times out, is not enough: a member may leave
//! between the count and the creation of the ready node. The count has to be checked in one transaction with it,
//! and a member that leaves has to look once more whether it was counted.

use std::time::Duration;

use futures_util::future::{Either, select};
use overtake_recipes::names::join;
use overtake_recipes::{CreateMode, Environment, Op, Watch, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const MEMBERS: &str = "/barrier/members";
const READY: &str = "/barrier/ready";
const SIZE: usize = 3;

#[derive(Clone, Copy, PartialEq)]
enum Care {
    None,
    DeletesNode,
    ChecksCount,
}

async fn arrive(ctx: &Context, care: Care) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let names = zk.children(MEMBERS).await?;
    if names.len() >= SIZE {
        let mut ops = Vec::new();
        if care == Care::ChecksCount {
            ops.extend(names.iter().map(|name| Op::Check { path: join(MEMBERS, name), version: None }));
        }
        ops.push(Op::Create { path: READY.into(), data: Vec::new(), mode: CreateMode::Persistent });
        match zk.multi(ops).await {
            // Somebody left, or somebody else was faster: the ready node tells.
            Ok(_) | Err(ZkError::NodeExists | ZkError::NoNode) => {}
            Err(error) => return Err(error),
        }
    }
    let (ready, mut watch) = zk.watch_exists(READY).await?;
    if ready.is_none() {
        watch.next().await;
    }
    Ok(())
}

async fn enter(ctx: Context, care: Care) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    ctx.mark("inside");
    let path = join(MEMBERS, "m-");
    let me = zk.create(&path, b"", CreateMode::EphemeralSequential).await?;
    let arrived = Box::pin(arrive(&ctx, care));
    let timer = Box::pin(ctx.sleep(Duration::from_secs(1)));
    let mut entered = match select(arrived, timer).await {
        Either::Left((arrived, _)) => arrived.is_ok(),
        Either::Right(_) => false,
    };
    if !entered && care != Care::None {
        zk.delete(&me, None).await?;
        entered = care == Care::ChecksCount && zk.exists(READY).await?.is_some();
    }
    if entered {
        ctx.mark("entered");
    }
    ctx.unmark("inside");
    Ok(())
}

fn counted_members_are_inside() -> Property {
    Property::always("counted members are inside", "CURATOR-318", |view| {
        let there = |c: &overtake_sim::world::ClientView<'_>| c.is_marked("inside") || c.is_marked("entered");
        let entered = view.clients().find(|c| c.is_marked("entered"));
        match (entered, view.clients().filter(there).count()) {
            (Some(c), there) if there < SIZE => {
                Err(format!("{} has entered, and only {there} of {SIZE} members are there", c.name()))
            }
            _ => Ok(()),
        }
    })
    .where_marked(&["entered"], 1)
}

/// The faulty program, the first thought of a repair, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, care| {
        scenario(name)
            .about("Members give up entering a barrier and stay counted; the last one enters alone.")
            .source("https://github.com/apache/curator/issues/838")
            .node("/barrier")
            .node(MEMBERS)
            .clients(SIZE, move |ctx| enter(ctx, care))
            .properties([
                counted_members_are_inside(),
                no_program_fails(),
                somebody_is(&["entered"], "a member enters"),
                everybody_is_done(),
            ])
    };
    let faulty = |name, care| {
        world(name, care).breaks("counted members are inside").fixed_by("O57 barrier counts ghosts, repaired")
    };
    vec![
        faulty("O57 barrier counts ghosts", Care::None),
        faulty("O57 barrier counts ghosts, half repaired", Care::DeletesNode),
        world("O57 barrier counts ghosts, repaired", Care::ChecksCount),
    ]
}
