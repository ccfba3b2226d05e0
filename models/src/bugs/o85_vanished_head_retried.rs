//! O85, kazoo#359 (57f64c0): a queue's `get` loops on a head that has vanished.
//!
//! *Mechanism:* a consumer caches the list of items; another takes the head. The first reads the head: it is gone, so
//! it tries again, but its list is not refreshed, and it tries the same head again and again. *Smallest
//! configuration:* 2 consumers. *Source:* <https://github.com/python-zk/kazoo/commit/57f64c0>. *Violated:* a retry
//! makes progress or reads again, so everybody ends. *Repair:* empty the cache before the retry.

use overtake_recipes::names::{contenders, join};
use overtake_recipes::retry::PAUSE;
use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const QUEUE: &str = "/queue";

async fn get(ctx: &Context, empties: bool) -> Result<Option<String>, ZkError> {
    let zk = ctx.zookeeper();
    let mut cached: Vec<String> = Vec::new();
    loop {
        if cached.is_empty() {
            cached = contenders(zk.children(QUEUE).await?);
        }
        let Some(head) = cached.first().cloned() else {
            return Ok(None);
        };
        let path = join(QUEUE, &head);
        let taken = match zk.get_data(&path).await {
            Ok(_) => zk.delete(&path, None).await,
            Err(error) => Err(error),
        };
        match taken {
            Ok(()) => return Ok(Some(head)),
            Err(ZkError::NoNode) => {
                if empties {
                    cached.clear();
                }
                ctx.sleep(PAUSE).await;
            }
            Err(error) => return Err(error),
        }
        let key: Vec<&str> = cached.iter().map(String::as_str).collect();
        ctx.checkpoint("retry", &key);
    }
}

async fn put(ctx: Context) -> Result<(), ZkError> {
    let path = join(QUEUE, "item-");
    let mode = CreateMode::PersistentSequential;
    ctx.zookeeper().create(&path, b"", mode).await?;
    ctx.zookeeper().create(&path, b"", mode).await?;
    Ok(())
}

async fn consume(ctx: Context, empties: bool) -> Result<(), ZkError> {
    if let Some(item) = get(&ctx, empties).await? {
        ctx.mark_with("got", &item);
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, empties| {
        scenario(name)
            .about("The head of a cached list is taken by another; the consumer asks for it over and over.")
            .source("https://github.com/python-zk/kazoo/commit/57f64c0")
            .node(QUEUE)
            .client("producer", put)
            .clients(2, move |ctx| consume(ctx, empties))
            .properties([
                everybody_ends(),
                no_program_fails(),
                somebody_is(&["got"], "a consumer gets an item"),
                everybody_is_done(),
            ])
    };
    vec![
        world("O85 vanished head retried", false)
            .breaks("everybody ends")
            .fixed_by("O85 vanished head retried, repaired"),
        world("O85 vanished head retried, repaired", true),
    ]
}
