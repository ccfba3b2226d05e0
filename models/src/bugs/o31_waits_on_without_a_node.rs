//! O31: a waiter whose own node is gone waits on.
//!
//! The lease of a waiter expires while it waits. It watches only the one before its own, through the next session;
//! it waits until that one leaves, and only then fails.
//!
//! Smallest: 2 clients, expiry of the one that waits. Source: <https://github.com/etcd-io/etcd/issues/19597>.

use futures_util::future::{join_all, select_all};
use overtake_recipes::{Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::properties::a_lost_candidacy_ends_the_wait;
use super::report::Report;
use super::steps::{enqueue, give_up_if_lost, is_lost, line, place, reconnect};
use crate::property::*;
use crate::scenario::Scenario;

/// Waits until something happens to one of the nodes. `false`: one is gone already.
async fn change(ctx: &Context, paths: &[&str]) -> Result<bool, ZkError> {
    let zk = ctx.zookeeper();
    let mut watches = Vec::new();
    for answer in join_all(paths.iter().map(|path| zk.watch_data(path))).await {
        match answer {
            Ok((_, _, watch)) => watches.push(watch),
            Err(ZkError::NoNode) => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    select_all(watches.iter_mut().map(|watch| Box::pin(watch.next()))).await;
    Ok(true)
}

async fn until_gone(ctx: &Context, paths: &[&str]) -> Result<(), ZkError> {
    while change(ctx, paths).await? {}
    Ok(())
}

/// Waits, also through one new session, until one of the watched nodes is gone.
async fn wait<const WATCHES_OWN: bool>(ctx: &Context) -> Result<(), ZkError> {
    let own = enqueue(ctx, "/lock/n-").await?;
    let line = line(ctx, "/lock").await?;
    let at = place(&line, &own).ok_or(ZkError::SessionExpired)?;
    let Some(before) = line[..at].last() else {
        return Ok(());
    };
    ctx.mark_with("waits", &own);
    let paths = [before, own.as_str()];
    let paths = if WATCHES_OWN { &paths[..] } else { &paths[..1] };
    let mut waited = until_gone(ctx, paths).await;
    if waited.is_err_and(is_lost) {
        waited = reconnect(ctx).await;
        if waited.is_ok() {
            waited = until_gone(ctx, paths).await;
        }
    }
    ctx.unmark("waits");
    waited
}

async fn waiter<const WATCHES_OWN: bool>(ctx: Context) -> Result<(), ZkError> {
    give_up_if_lost(wait::<WATCHES_OWN>(&ctx).await)
}

/// Stands in the line for life.
async fn holder(ctx: Context) -> Result<(), ZkError> {
    enqueue(&ctx, "/lock/n-").await.map(drop)
}

/// The faulty wait and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let holder = |s: Scenario| s.client("holder", holder).spared();
    Report {
        name: "O31 waits on without a node",
        source: "https://github.com/etcd-io/etcd/issues/19597",
        about: "A waiter behind one who holds for life. When the waiter's session ends its node is gone; it opens a new \
                session and waits on. Repaired: it watches its own node too.",
        violates: "a lost candidacy ends the wait",
    }
    .pair(
        |s| holder(s).client("waiter", waiter::<false>),
        |s| holder(s).client("waiter", waiter::<true>),
        |s| {
            s.node("/lock").expiries(1).properties([
                a_lost_candidacy_ends_the_wait(),
                no_program_fails(),
                somebody_is(&["waits"], "somebody waits"),
                everybody_is_done(),
            ])
        },
    )
}
