//! O64, etcd-io/etcd#22082: a retried unlock deletes a newer lock of the same session.
//!
//! *Mechanism:* the key of a contender is named by its session, and the contender with the oldest key holds. One lock
//! object unlocks; the delete is applied, the reply is lost. Another object of the session locks: the same name, a
//! newer key. The retried unlock deletes by name and removes it. *Smallest configuration:* 1 session with 2 lock
//! objects, a rival, 1 reply lost. *Source:* <https://github.com/etcd-io/etcd/issues/22082>. *Violated:* an unlock
//! removes only what it has acquired, so a grant keeps its node. *Repair:* look whose key it is.

use overtake_recipes::retry::{PAUSE, retry};
use overtake_recipes::{CreateMode, Environment, Watch, WatchedEvent, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::requests::answered;
use crate::property::*;
use crate::scenario::{Scenario, scenario};

const LOCK: &str = "/lock";

/// Waits until the key, if it is there, goes.
async fn gone(ctx: &Context, object: &str, path: &str) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let look = || zk.watch_exists(path);
    let (there, mut watch) = retry(ctx, "wait", &[object, path], look).await?;
    if there.is_some() {
        while !matches!(watch.next().await, WatchedEvent::Node { .. }) {}
    }
    Ok(())
}

async fn lock(ctx: &Context, object: &str) -> Result<String, ZkError> {
    let zk = ctx.zookeeper();
    let path = format!("{LOCK}/{:x}", zk.session_id());
    loop {
        ctx.checkpoint("lock", &[object]);
        match zk.create(&path, object.as_bytes(), CreateMode::Ephemeral).await {
            Ok(_) => break,
            Err(ZkError::NodeExists) => match zk.get_data(&path).await {
                Ok((data, _)) if data == object.as_bytes() => break,
                Ok(_) => gone(ctx, object, &path).await?,
                Err(ZkError::NoNode) => {}
                Err(ZkError::ConnectionLoss) => ctx.sleep(PAUSE).await,
                Err(error) => return Err(error),
            },
            Err(ZkError::ConnectionLoss) => ctx.sleep(PAUSE).await,
            Err(error) => return Err(error),
        }
    }
    loop {
        let list = || zk.children(LOCK);
        let names = retry(ctx, "order", &[object], list).await?;
        let mut oldest: Option<(i64, String)> = None;
        for name in names {
            let key = format!("{LOCK}/{name}");
            if let Some(stat) = answered(ctx, || zk.exists(&key)).await?
                && oldest.as_ref().is_none_or(|(czxid, _)| stat.czxid < *czxid)
            {
                oldest = Some((stat.czxid, key));
            }
        }
        match oldest {
            Some((_, key)) if key != path => gone(ctx, object, &key).await?,
            _ => return Ok(path),
        }
    }
}

async fn unlock_again(ctx: Context, path: String, object: &'static str, looks: bool) {
    let zk = ctx.zookeeper();
    loop {
        ctx.checkpoint("unlock again", &[object, &path]);
        if looks {
            match zk.get_data(&path).await {
                Ok((data, _)) if data == object.as_bytes() => {}
                Err(ZkError::ConnectionLoss) => continue,
                _ => return,
            }
        }
        match zk.delete(&path, None).await {
            Err(ZkError::ConnectionLoss) => ctx.sleep(PAUSE).await,
            _ => return,
        }
    }
}

async fn locks(ctx: Context, objects: &'static [&'static str], looks: bool) -> Result<(), ZkError> {
    for object in objects {
        let path = lock(&ctx, object).await?;
        ctx.mark_with("holds", &path);
        ctx.work("work").await;
        ctx.unmark("holds");
        if let Err(ZkError::ConnectionLoss) = ctx.zookeeper().delete(&path, None).await {
            ctx.spawn(unlock_again(ctx.clone(), path, object, looks));
        }
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, looks| {
        scenario(name)
            .about(
                "Two lock objects of one session use one key after the other. The unlock of the first is applied, but \
                 its reply is lost; tried again, it deletes the key of the second.",
            )
            .source("https://github.com/etcd-io/etcd/issues/22082")
            .node(LOCK)
            .client("owner", move |ctx| locks(ctx, &["first", "second"], looks))
            .client("rival", move |ctx| locks(ctx, &["only"], looks))
            .spared()
            .disconnects(1)
            .properties([grant_rests_on_own_live_node(), no_program_fails(), somebody_holds(), everybody_is_done()])
    };
    vec![
        world("O64 retried unlock", false)
            .breaks("grant rests on a live node of the own session")
            .fixed_by("O64 retried unlock, repaired"),
        world("O64 retried unlock, repaired", true),
    ]
}
