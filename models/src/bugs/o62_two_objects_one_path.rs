//! O62, Netflix/curator#75: two lock objects with one path in one thread.
//!
//! *Mechanism:* a thread holds the lock by one object and acquires it by another with the same path. Re-entrance is
//! counted by object, so the second makes a node of its own and waits for the first: for itself. *Smallest
//! configuration:* 1 client. *Source:* <https://github.com/Netflix/curator/issues/75>. *Violated:* nobody waits for
//! itself. *Repair:* count re-entrance by path.

use std::cell::RefCell;
use std::collections::BTreeMap;

use overtake_recipes::names::{contenders, join, leaf};
use overtake_recipes::{CreateMode, Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::properties_b::no_cycle_of_waits;
use crate::property::*;
use crate::scenario::{Scenario, scenario};

const LOCK: &str = "/lock";

async fn acquire(ctx: &Context) -> Result<String, ZkError> {
    let zk = ctx.zookeeper();
    let path = join(LOCK, "n-");
    let me = zk.create(&path, b"", CreateMode::EphemeralSequential).await?;
    loop {
        let names = contenders(zk.children(LOCK).await?);
        let at = names.iter().position(|name| name == leaf(&me));
        let Some(before) = at.and_then(|at| names[..at].last()) else {
            return Ok(me);
        };
        let before = join(LOCK, before);
        if let Ok((_, _, mut watch)) = zk.watch_data(&before).await {
            ctx.mark_with("waits", &before);
            watch.next().await;
            ctx.unmark("waits");
        }
    }
}

/// The thread's holds: how often, and by which node. The key is the object, or the path.
type Holds = RefCell<BTreeMap<&'static str, (usize, String)>>;

async fn enter(ctx: &Context, holds: &Holds, key: &'static str) -> Result<(), ZkError> {
    let held = holds.borrow().contains_key(key);
    let node = if held { String::new() } else { acquire(ctx).await? };
    holds.borrow_mut().entry(key).or_insert((0, node)).0 += 1;
    Ok(())
}

async fn leave(ctx: &Context, holds: &Holds, key: &'static str) -> Result<(), ZkError> {
    let node = {
        let mut holds = holds.borrow_mut();
        let hold = holds.get_mut(key).expect("entered before");
        hold.0 -= 1;
        if hold.0 > 0 {
            return Ok(());
        }
        holds.remove(key).expect("it is there").1
    };
    ctx.zookeeper().delete(&node, None).await
}

async fn nested(ctx: Context, outer: &'static str, inner: &'static str) -> Result<(), ZkError> {
    let holds = Holds::default();
    enter(&ctx, &holds, outer).await?;
    ctx.mark("holds");
    enter(&ctx, &holds, inner).await?;
    ctx.work("work").await;
    leave(&ctx, &holds, inner).await?;
    ctx.unmark("holds");
    leave(&ctx, &holds, outer).await
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about(
                "A thread holds a lock by one object and asks for it by another object with the same path. The second \
                 object waits for the node of the first.",
            )
            .source("https://github.com/Netflix/curator/issues/75")
            .node(LOCK)
            .properties([no_cycle_of_waits(), no_orphan_node(LOCK), no_program_fails(), somebody_holds()])
    };
    vec![
        world("O62 two objects, one path")
            .clients(1, |ctx| nested(ctx, "first object", "second object"))
            .breaks("no cycle of waits")
            .fixed_by("O62 two objects, one path, repaired"),
        world("O62 two objects, one path, repaired").clients(1, |ctx| nested(ctx, LOCK, LOCK)),
    ]
}
