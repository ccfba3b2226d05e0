//! O71, CURATOR-307: a read lock does not notice that its own node is missing.
//!
//! *Mechanism:* the reader's session was replaced, so its node is not in the list. Its own place starts as
//! "infinity", and a check for a negative place never finds it missing; the reader then takes the first writer for
//! the one to wait for, which is "infinity" as well when there is none, and reads beyond the list. *Smallest
//! configuration:* 1 client, an expiry between create and list. *Source:*
//! <https://github.com/apache/curator/issues/827>. *Violated:* a missing own node is always noticed: no exception.
//! *Repair:* notice it, and start anew. (For a moment the list may still show the node of the former session;
//! relying on it is another report.)

use overtake_recipes::names::{contenders, join, leaf};
use overtake_recipes::{CreateMode, Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::requests::{answered, give_up_if_expired};
use crate::property::*;
use crate::scenario::{Scenario, scenario};

const LOCK: &str = "/lock";

/// The place of a reader that is not in the list.
#[derive(Clone, Copy)]
enum Missing {
    Infinity,
    Noticed,
}

/// One request of the reader, sent again in a new session when the old one is over.
macro_rules! in_any_session {
    ($ctx:expr, $request:expr) => {
        match answered($ctx, || $request).await {
            Err(ZkError::SessionExpired) => {
                $ctx.zookeeper().connect().await?;
                answered($ctx, || $request).await
            }
            answer => answer,
        }
    };
}

async fn read(ctx: Context, missing: Missing) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let path = join(LOCK, "read-");
    let mode = CreateMode::EphemeralSequential;
    let mut me = in_any_session!(&ctx, zk.create(&path, b"", mode))?;
    loop {
        let session = format!("{:x}", zk.session_id());
        ctx.checkpoint("list", &[&me, &session]);
        let names = contenders(in_any_session!(&ctx, zk.children(LOCK))?);
        let place = names.iter().position(|name| name == leaf(&me));
        let first_writer = names.iter().position(|name| name.starts_with("write"));
        let first_writer = first_writer.unwrap_or(usize::MAX);
        let place = match (place, missing) {
            (Some(place), _) => place,
            (None, Missing::Infinity) => usize::MAX,
            (None, Missing::Noticed) => {
                ctx.mark("starts anew");
                me = in_any_session!(&ctx, zk.create(&path, b"", mode))?;
                continue;
            }
        };
        if place < first_writer {
            break;
        }
        let blocker = join(LOCK, &names[first_writer]);
        match in_any_session!(&ctx, zk.watch_data(&blocker)) {
            Ok((_, _, mut watch)) => drop(watch.next().await),
            Err(ZkError::NoNode) => {}
            Err(error) => return Err(error),
        }
    }
    ctx.mark("holds");
    ctx.work("read").await;
    ctx.unmark("holds");
    match answered(&ctx, || zk.delete(&me, None)).await {
        Err(ZkError::NoNode | ZkError::SessionExpired) => Ok(()),
        answer => answer,
    }
}

async fn write(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let path = join(LOCK, "write-");
    let me = zk.create(&path, b"", CreateMode::EphemeralSequential).await?;
    loop {
        ctx.checkpoint("list", &[&me]);
        let names = contenders(zk.children(LOCK).await?);
        let at = names.iter().position(|name| name == leaf(&me));
        let Some(before) = at.and_then(|at| names[..at].last()) else {
            break;
        };
        if let Ok((_, _, mut watch)) = zk.watch_data(&join(LOCK, before)).await {
            watch.next().await;
        }
    }
    ctx.work("write").await;
    zk.delete(&me, None).await
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, missing| {
        scenario(name)
            .about("The session of a waiting reader is replaced. Its node is gone, and it looks for the one to wait for beyond the list.")
            .source("https://github.com/apache/curator/issues/827")
            .node(LOCK)
            .client("reader", move |ctx| async move { give_up_if_expired(read(ctx, missing).await) })
            .client("writer", write)
            .spared()
            .expiries(1)
            .properties([no_program_fails(), somebody_holds(), everybody_is_done()])
    };
    vec![
        world("O71 own node missing", Missing::Infinity)
            .breaks("no program fails")
            .fixed_by("O71 own node missing, repaired"),
        world("O71 own node missing, repaired", Missing::Noticed)
            .property(somebody_is(&["starts anew"], "the reader starts anew")),
    ]
}
