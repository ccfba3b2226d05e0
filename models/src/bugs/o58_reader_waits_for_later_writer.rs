//! O58, python-zk/kazoo#649: deadlock in the read/write lock.
//!
//! *Mechanism:* a writer holds, a reader queues behind it, a second writer behind the reader. The first writer
//! leaves; the reader lists and takes as its predecessor any writer, also the one behind it. The reader waits for
//! the writer, the writer for the reader. *Smallest configuration:* 3 clients, no faults (the shortest story needs
//! one writer only). *Source:* <https://github.com/python-zk/kazoo/issues/649>. *Violated:* waits follow the order of
//! the queue, so there is no cycle among them. *Repair:* consider only nodes with smaller numbers.

use overtake_recipes::names::{contenders, join, leaf};
use overtake_recipes::{CreateMode, Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::properties_b::no_cycle_of_waits;
use crate::property::*;
use crate::scenario::{Scenario, scenario};

const LOCK: &str = "/lock";

/// The contender to wait for, if any: of all names, in order, for the one at a place.
type Predecessor = fn(&[String], usize) -> Option<&String>;

fn last_writer(names: &[String]) -> Option<&String> {
    names.iter().rev().find(|name| name.starts_with("write"))
}

async fn hold(ctx: Context, label: &str, predecessor: Predecessor) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let path = join(LOCK, label);
    let me = zk.create(&path, b"", CreateMode::EphemeralSequential).await?;
    loop {
        ctx.checkpoint("list", &[&me]);
        let names = contenders(zk.children(LOCK).await?);
        let own = names.iter().position(|name| name == leaf(&me));
        let Some(before) = own.and_then(|at| predecessor(&names, at)) else {
            break;
        };
        let before = join(LOCK, before);
        match zk.watch_data(&before).await {
            Ok((_, _, mut watch)) => {
                ctx.mark_with("waits", &before);
                watch.next().await;
                ctx.unmark("waits");
            }
            Err(ZkError::NoNode) => {}
            Err(error) => return Err(error),
        }
    }
    ctx.mark("holds");
    ctx.work("read or write").await;
    ctx.unmark("holds");
    zk.delete(&me, None).await
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, reader: Predecessor| {
        scenario(name)
            .about(
                "A reader looks for the writer to wait for among all contenders and finds one behind itself, which \
                 waits for the reader.",
            )
            .source("https://github.com/python-zk/kazoo/issues/649")
            .node(LOCK)
            .clients(2, |ctx| hold(ctx, "write-", |names, at| names[..at].last()))
            .client("reader", move |ctx| hold(ctx, "read-", reader))
            .properties([
                no_cycle_of_waits(),
                no_program_fails(),
                somebody_holds(),
                somebody_is(&["waits"], "somebody waits"),
                everybody_is_done(),
            ])
    };
    vec![
        world("O58 reader waits for a later writer", |names, _| last_writer(names))
            .breaks("no cycle of waits")
            .fixed_by("O58 reader waits for a later writer, repaired"),
        world("O58 reader waits for a later writer, repaired", |names, at| last_writer(&names[..at])),
    ]
}
