//! O21: the library loses its watches when it connects again, and tells nobody.
//!
//! A client reads a value and watches it. Its connection breaks and comes back in the same session, but the new
//! connection knows nothing of the watch. The value changes; the client waits on.
//!
//! Smallest: 1 reader, 1 writer, 1 break. Source: <https://github.com/python-zk/kazoo/issues/151>; the repair is
//! `setWatches`, which Java's library sends.

use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::node_event;
use crate::property::*;
use crate::scenario::Scenario;

/// Waits until the value is there.
async fn reader(ctx: Context) -> Result<(), ZkError> {
    loop {
        match ctx.zookeeper().watch_data("/value").await {
            Ok((value, _, _)) if value == b"new" => return Ok(()),
            Ok((_, _, mut watch)) => {
                ctx.mark("waits");
                node_event(&mut watch).await;
            }
            Err(ZkError::ConnectionLoss) => {}
            Err(error) => return Err(error),
        }
    }
}

async fn writer(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    zk.set_data("/value", b"new", None).await.map(drop)
}

/// The faulty library and the repaired one: the programs are the same.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O21 watches lost on reconnect",
        source: "https://github.com/python-zk/kazoo/issues/151",
        about: "A reader waits for a new value, a writer writes it. The reader's library does not register its watches \
                again after a break of the connection. Repaired: it does.",
        violates: "no wait without a wake-up",
    }
    .pair(
        |s| s.client("reader", reader).without_set_watches(),
        |s| s.client("reader", reader),
        |s| {
            let s = s.client("writer", writer).spared();
            s.node("/value").disconnects(1).properties([
                no_wait_without_wake_up(),
                no_program_fails(),
                somebody_is(&["waits"], "the reader waits"),
                everybody_is_done(),
            ])
        },
    )
}
