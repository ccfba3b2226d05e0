//! O69, ZOOKEEPER-2931: WriteLock sorts by the whole name, the session id included.
//!
//! *Mechanism:* the nodes are named `x-<session>-<number>` and sorted as texts. A client with a smaller session id
//! arrives second and still sorts before the holder: it sees itself first. *Smallest configuration:* 2 clients whose
//! session ids are in the wrong order. *Source:* <https://github.com/apache/zookeeper/pull/413>. *Violated:* the order
//! of contenders is the order of their numbers. *Repair:* compare the number.

use overtake_recipes::names::{contenders, join, leaf};
use overtake_recipes::{CreateMode, Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const LOCK: &str = "/lock";

fn as_texts(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

async fn hold(ctx: Context, sort: fn(Vec<String>) -> Vec<String>) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let path = join(LOCK, &format!("x-{:x}-", zk.session_id()));
    let me = zk.create(&path, b"", CreateMode::EphemeralSequential).await?;
    loop {
        ctx.checkpoint("list", &[&me]);
        let names = sort(zk.children(LOCK).await?);
        let at = names.iter().position(|name| name == leaf(&me));
        let Some(before) = at.and_then(|at| names[..at].last()) else {
            break;
        };
        if let Ok((_, _, mut watch)) = zk.watch_data(&join(LOCK, before)).await {
            watch.next().await;
        }
    }
    ctx.mark_with("holds", &me);
    ctx.work("work").await;
    ctx.unmark("holds");
    zk.delete(&me, None).await
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str| {
        scenario(name)
            .about(
                "Contenders are sorted by names that begin with the session's id; a newcomer sorts before the holder.",
            )
            .source("https://github.com/apache/zookeeper/pull/413")
            .node(LOCK)
            .literal_owners()
            .properties([grants_in_order_of_creation(), no_program_fails(), somebody_holds(), everybody_is_done()])
    };
    vec![
        world("O69 whole names sorted")
            .clients(2, |ctx| hold(ctx, as_texts))
            .breaks("grants in order of creation")
            .fixed_by("O69 whole names sorted, repaired"),
        world("O69 whole names sorted, repaired").clients(2, |ctx| hold(ctx, contenders)),
    ]
}
