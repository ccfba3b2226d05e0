//! O30: a consumer that loses the race for one item waits, although another item is free.
//!
//! Two consumers list two items and choose the first. One locks it. The other is told that the lock exists, gives up
//! and waits for the list to change; nothing changes, and the second item lies there.
//!
//! Smallest: 2 consumers, 2 items, no faults. Source: <https://github.com/python-zk/kazoo/pull/501>.

use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper};
use overtake_sim::names::Text;
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::node_event;
use crate::property::*;
use crate::scenario::Scenario;

/// Locks an item, to work on it for long.
async fn get<const TRIES_NEXT: bool>(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    loop {
        let (mut items, mut change) = zk.watch_children("/items").await?;
        let locked = zk.children("/locks").await?;
        items.retain(|item| !locked.contains(item));
        items.sort();
        let tries = if TRIES_NEXT { items.len() } else { 1 };
        for item in items.iter().take(tries) {
            let lock = format!("/locks/{item}");
            match zk.create(&lock, b"", CreateMode::Ephemeral).await {
                Ok(_) => {
                    ctx.mark("took");
                    return Ok(());
                }
                Err(ZkError::NodeExists) => {}
                Err(error) => return Err(error),
            }
        }
        ctx.mark("idle");
        node_event(&mut change).await;
        ctx.unmark("idle");
    }
}

/// The faulty queue and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let (items, locks) = (Text::new("/items"), Text::new("/locks"));
    Report {
        name: "O30 item left beside an idle consumer",
        source: "https://github.com/python-zk/kazoo/pull/501",
        about: "Two consumers lock one of two items each. Who comes second to an item waits for the list to change, though \
                the other item is free. Repaired: it tries the next item first.",
        violates: "no free item beside an idle consumer",
    }
    .pair(
        |s| s.clients(2, get::<false>),
        |s| s.clients(2, get::<true>),
        |s| {
            let s = s.node("/items").node("/items/i1").node("/items/i2").node("/locks");
            s.properties([
                Property::at_rest("no free item beside an idle consumer", "python-zk/kazoo#501", move |view| {
                    let zk = view.zookeeper();
                    let free = zk.children(items).len().saturating_sub(zk.children(locks).len());
                    match view.clients().find(|c| c.is_marked("idle")) {
                        Some(idle) if free > 0 => Err(format!("{} waits, and {free} item is free", idle.name())),
                        _ => Ok(()),
                    }
                }),
                no_program_fails(),
                Property::sometimes("both items are taken", |view| view.clients().all(|c| c.is_marked("took"))),
            ])
        },
    )
}
