//! O76, CURATOR-311: a shared value is stale after a reconnect.
//!
//! *Mechanism:* a cached value is refreshed by a one-shot watch only. The watch is lost with the server (or the
//! session), and the cache answers the old value for ever. *Smallest configuration:* 1 reader, 1 writer, 1
//! reconnect. *Source:* <https://github.com/apache/curator/issues/831>. *Violated:* after a healed outage the cache
//! converges. *Repair:* read again when connected again.

use overtake_recipes::retry::PAUSE;
use overtake_recipes::{Environment, SessionState, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::names::Text;
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const VALUE: &str = "/value";

async fn cache(ctx: Context, reads_again: bool) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    loop {
        ctx.checkpoint("read", &[]);
        let (value, _, mut watch) = match zk.watch_data(VALUE).await {
            Ok(read) => read,
            Err(ZkError::ConnectionLoss) => {
                ctx.sleep(PAUSE).await;
                continue;
            }
            Err(error) => return Err(error),
        };
        ctx.mark_with("cached", &String::from_utf8_lossy(&value));
        if !value.is_empty() {
            ctx.mark("has read the new value");
        }
        loop {
            ctx.checkpoint("wait", &[]);
            match watch.next().await {
                WatchedEvent::Node { .. } => break,
                WatchedEvent::Session(SessionState::Connected) if reads_again => break,
                WatchedEvent::Session(_) => {}
            }
        }
    }
}

async fn write(ctx: Context) -> Result<(), ZkError> {
    ctx.zookeeper().set_data(VALUE, b"new", None).await?;
    Ok(())
}

fn cache_converges() -> Property {
    Property::at_rest("the cache converges", "CURATOR-311", |view| {
        let value = view.zookeeper().data(Text::new(VALUE)).flatten();
        let value = value.unwrap_or_else(|| Text::new(""));
        for client in view.clients() {
            if let Some(cached) = client.mark("cached").flatten()
                && cached != value
            {
                return Err(format!("{} keeps {cached:?} for ever, and the value is {value:?}", client.name()));
            }
        }
        Ok(())
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, reads_again| {
        scenario(name)
            .about(
                "A reader caches a value under a watch. Its connection breaks, the value is written, the connection is \
                 back, and the watch is lost.",
            )
            .source("https://github.com/apache/curator/issues/831")
            .node(VALUE)
            .client("reader", move |ctx| cache(ctx, reads_again))
            .without_set_watches()
            .client("writer", write)
            .spared()
            .disconnects(1)
            .properties([
                cache_converges(),
                no_program_fails(),
                somebody_is(&["has read the new value"], "the reader has read the new value"),
            ])
    };
    vec![
        world("O76 stale after a reconnect", false)
            .breaks("the cache converges")
            .fixed_by("O76 stale after a reconnect, repaired"),
        world("O76 stale after a reconnect, repaired", true),
    ]
}
