//! O26: a queue's consumer does not list again with a new session.
//!
//! The consumer lists the queue and watches it. Its session is replaced, and the watch is gone with the old one. A
//! producer adds an item: nobody is told.
//!
//! Smallest: 1 producer, 1 consumer, 1 expiry. Source: <https://github.com/apache/curator/pull/401>.

use overtake_recipes::{CreateMode, Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::names::Text;
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::{give_up_if_lost, in_line, is_lost, reconnect};
use crate::property::*;
use crate::scenario::Scenario;

/// Takes what is there, and what comes, for as long as the session lives.
async fn consume<const LISTS_AGAIN: bool>(ctx: &Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    loop {
        let (items, mut changes) = zk.watch_children("/queue").await?;
        for item in in_line("/queue", items) {
            match zk.delete(&item, None).await {
                // A try before had deleted it.
                Err(ZkError::NoNode) => {}
                answer => answer?,
            }
        }
        loop {
            match changes.next().await {
                WatchedEvent::Node { .. } => break,
                WatchedEvent::Session(SessionState::Expired) if LISTS_AGAIN => return Err(ZkError::SessionExpired),
                WatchedEvent::Session(SessionState::Expired) => reconnect(ctx).await?,
                WatchedEvent::Session(_) => {}
            }
        }
    }
}

/// Consumes; a second time when the session is lost.
async fn consumer<const LISTS_AGAIN: bool>(ctx: Context) -> Result<(), ZkError> {
    ctx.mark("consumes");
    let mut consumed = consume::<LISTS_AGAIN>(&ctx).await;
    if consumed.is_err_and(is_lost) {
        consumed = reconnect(&ctx).await;
        if consumed.is_ok() {
            consumed = consume::<LISTS_AGAIN>(&ctx).await;
        }
    }
    ctx.unmark("consumes");
    give_up_if_lost(consumed)
}

async fn producer(ctx: Context) -> Result<(), ZkError> {
    let mode = CreateMode::PersistentSequential;
    ctx.zookeeper().create("/queue/i-", b"", mode).await.map(drop)
}

/// The faulty queue and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let queue = Text::new("/queue");
    Report {
        name: "O26 consumer keeps a dead watch",
        source: "https://github.com/apache/curator/pull/401",
        about: "A producer offers an item to a consumer whose library opens a new session when the old one is over. The \
                consumer goes on waiting for the watch of the old one. Repaired: it lists and watches again.",
        violates: "an item offered is taken",
    }
    .pair(
        |s| s.client("consumer", consumer::<false>),
        |s| s.client("consumer", consumer::<true>),
        |s| {
            s.client("producer", producer).spared().node("/queue").expiries(1).properties([
                Property::at_rest("an item offered is taken", "CURATOR-623", move |view| {
                    match view.zookeeper().children(queue).first() {
                        Some(item) => Err(format!("{} lies there, and the consumer waits", item.short())),
                        None => Ok(()),
                    }
                })
                .where_marked(&["consumes"], 1),
                no_program_fails(),
                Property::sometimes("the item is taken after the expiry", move |view| {
                    let (zk, spent) = (view.zookeeper(), view.budget().expiries == 0);
                    spent && zk.counter(queue) == 1 && zk.children(queue).is_empty()
                }),
            ])
        },
    )
}
