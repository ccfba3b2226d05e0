//! O04: a writer waits for the nearest reader only.
//!
//! Two readers hold shared locks. The writer waits for the node just before its own; when that reader leaves, it
//! writes, without a look at the other reader.
//!
//! Smallest: 2 readers, 1 writer, no faults. Source: <https://github.com/zk-ruby/zk/commit/fdab2ba>.

use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::properties::no_writer_with_a_reader;
use super::report::Report;
use super::steps::{enqueue, line, place, wait_for};
use crate::property::*;
use crate::scenario::Scenario;

async fn reader(ctx: Context) -> Result<(), ZkError> {
    let own = enqueue(&ctx, "/rw/r-").await?;
    loop {
        let line = line(&ctx, "/rw").await?;
        let at = place(&line, &own).expect("nobody else deletes the node");
        // Only writers stand in a reader's way.
        match line[..at].iter().rfind(|path| path.starts_with("/rw/w-")) {
            Some(writer) => wait_for(&ctx, writer).await?,
            None => break,
        }
    }
    section(&ctx, "reads", &own).await
}

async fn writer<const LISTS_AGAIN: bool>(ctx: Context) -> Result<(), ZkError> {
    let own = enqueue(&ctx, "/rw/w-").await?;
    loop {
        let line = line(&ctx, "/rw").await?;
        let at = place(&line, &own).expect("nobody else deletes the node");
        if at == 0 {
            break;
        }
        wait_for(&ctx, &line[at - 1]).await?;
        if !LISTS_AGAIN {
            break;
        }
    }
    section(&ctx, "writes", &own).await
}

async fn section(ctx: &Context, mark: &'static str, own: &str) -> Result<(), ZkError> {
    ctx.mark(mark);
    ctx.work("work").await;
    ctx.unmark(mark);
    ctx.zookeeper().delete(own, None).await
}

/// The faulty read-write lock and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O04 writer waits for one reader",
        source: "https://github.com/zk-ruby/zk/commit/fdab2ba",
        about: "Two readers and a writer share a read-write lock. The writer waits for the node just before its own and \
                takes its departure for the grant. Repaired: it lists again.",
        violates: "no writer together with a reader",
    }
    .pair(
        |s| s.clients(2, reader).client("writer", writer::<false>),
        |s| s.clients(2, reader).client("writer", writer::<true>),
        |s| {
            s.node("/rw").properties([
                no_writer_with_a_reader(),
                no_wait_without_wake_up(),
                no_program_fails(),
                somebody_is(&["writes"], "somebody writes"),
                Property::sometimes("two read together", |view| {
                    view.clients().filter(|c| c.is_marked("reads")).count() == 2
                }),
                everybody_is_done(),
            ])
        },
    )
}
