//! O70, ZOOKEEPER-4372 and go-zookeeper 21b4929: the sequence number wraps to below zero.
//!
//! *Mechanism:* the parent's counter has passed 2147483647, and names end with `-2147483648`, `-2147483647` and so
//! on. A parser that splits at the hyphen loses the sign, so the numbers fall from there on, and the newest contender
//! sorts as the oldest. *Smallest configuration:* 2 clients, the counter just past its limit. *Source:*
//! <https://issues.apache.org/jira/browse/ZOOKEEPER-4372>. *Violated:* the order survives the wrap, so there is one
//! holder. *Repair:* keep the sign, and compare by distance as serial numbers are, so that the wrap itself does not
//! matter either.
//!
//! A server of version 3.8 refuses to create beyond the limit one by one (it numbers on within a transaction only),
//! so this parent comes from an older server.

use std::cmp::Ordering;

use overtake_recipes::names::{join, leaf};
use overtake_recipes::{CreateMode, Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const LOCK: &str = "/lock";

/// An order of names `n-<number>`.
type NameOrder = fn(&str, &str) -> Ordering;

fn without_sign(name: &str) -> i64 {
    let digits = name.rsplit_once('-').map_or("", |(_, digits)| digits);
    digits.parse().unwrap_or(0)
}

fn with_sign(name: &str) -> i32 {
    name.strip_prefix("n-").and_then(|n| n.parse().ok()).unwrap_or(0)
}

fn by_distance(a: &str, b: &str) -> Ordering {
    with_sign(a).wrapping_sub(with_sign(b)).cmp(&0)
}

async fn hold(ctx: Context, order: NameOrder) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let path = join(LOCK, "n-");
    let me = zk.create(&path, b"", CreateMode::EphemeralSequential).await?;
    loop {
        ctx.checkpoint("list", &[&me]);
        let mut names = zk.children(LOCK).await?;
        names.sort_by(|a, b| order(a, b));
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
    let world = |name: &str, order: NameOrder| {
        scenario(name)
            .about("The counter behind the names of a lock's contenders has passed its limit.")
            .source("https://issues.apache.org/jira/browse/ZOOKEEPER-4372")
            .node_with_counter(LOCK, i32::MIN)
            .literal_numbers()
            .clients(2, move |ctx| hold(ctx, order))
            .properties([at_most_one_live_holder(), no_program_fails(), somebody_holds(), everybody_is_done()])
    };
    vec![
        world("O70 sequence number wraps", |a, b| without_sign(a).cmp(&without_sign(b)))
            .breaks("at most one live holder")
            .fixed_by("O70 sequence number wraps, repaired"),
        world("O70 sequence number wraps, repaired", by_distance),
    ]
}
