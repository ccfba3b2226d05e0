//! O74, kazoo 9b0a793 (the same: Curator 8a94985c, go-zookeeper 90bc964): creation watches pile up on nodes that
//! never come back.
//!
//! *Mechanism:* between the list and the look at the predecessor, the predecessor goes. The look says so and arms a
//! watch for its creation; sequential names never come back, so the watch stays for the life of the session.
//! *Smallest configuration:* 2 clients. *Source:* <https://github.com/python-zk/kazoo/commit/9b0a793>. *Violated:* no
//! watch outlives the acquire that set it. *Repair:* watch by reading the data, which arms nothing on a missing node.

use overtake_recipes::names::{contenders, join, leaf};
use overtake_recipes::{CreateMode, Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const LOCK: &str = "/lock";

async fn hold(ctx: Context, by_data: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let path = join(LOCK, "n-");
    let me = zk.create(&path, b"", CreateMode::EphemeralSequential).await?;
    loop {
        ctx.checkpoint("list", &[&me]);
        let names = contenders(zk.children(LOCK).await?);
        let at = names.iter().position(|name| name == leaf(&me));
        let Some(before) = at.and_then(|at| names[..at].last()) else {
            break;
        };
        let before = join(LOCK, before);
        let watch = if by_data {
            match zk.watch_data(&before).await {
                Ok((_, _, watch)) => Some(watch),
                Err(ZkError::NoNode) => None,
                Err(error) => return Err(error),
            }
        } else {
            let (there, watch) = zk.watch_exists(&before).await?;
            there.map(|_| watch)
        };
        match watch {
            Some(mut watch) => drop(watch.next().await),
            None => ctx.mark("predecessor went"),
        }
    }
    ctx.mark("holds");
    ctx.work("work").await;
    ctx.unmark("holds");
    zk.delete(&me, None).await
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about("A predecessor goes before it is watched; the watch waits for a node that never comes back.")
            .source("https://github.com/python-zk/kazoo/commit/9b0a793")
            .node(LOCK)
            .properties([
                no_orphan_watch(),
                no_program_fails(),
                somebody_holds(),
                somebody_is(&["predecessor went"], "a predecessor goes before it is watched"),
                everybody_is_done(),
            ])
    };
    vec![
        world("O74 creation watches pile up")
            .clients(2, |ctx| hold(ctx, false))
            .breaks("no orphan watch")
            .fixed_by("O74 creation watches pile up, repaired"),
        world("O74 creation watches pile up, repaired").clients(2, |ctx| hold(ctx, true)),
    ]
}
