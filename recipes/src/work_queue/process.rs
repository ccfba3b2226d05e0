//! Handling an item at least once.

use std::pin::pin;

use futures_util::future::select;

use super::WorkQueue;
use crate::events::node_event;
use crate::lock::LockError;
use crate::names::{contenders, join};
use crate::retry::retry;
use crate::{Environment, Op, ZkError, ZooKeeper};

/// Claims the first free item, handles it, and takes it out together with the claim.
pub(super) async fn process<E: Environment, Q: WorkQueue<E>>(
    queue: &Q,
    handle: impl AsyncFn(&str) -> Result<(), LockError>,
) -> Result<(), LockError> {
    let (env, items, claims) = (queue.parts().0, queue.below("items"), queue.below("claims"));
    let zk = env.zookeeper();
    loop {
        // Both are watched: an item is free when it comes, and when its claim goes.
        let (claimed, mut claim_gone) = retry(env, "queue: claims", &[], || zk.watch_children(&claims)).await?;
        let key: Vec<&str> = claimed.iter().map(String::as_str).collect();
        let (names, mut change) = retry(env, "queue: items", &key, || zk.watch_children(&items)).await?;
        let Some(name) = contenders(names).into_iter().find(|name| !claimed.contains(name)) else {
            let claim_gone = pin!(node_event(env, "queue: wait", &[], &mut claim_gone));
            let change = pin!(node_event(env, "queue: wait", &[], &mut change));
            select(claim_gone, change).await.factor_first().0?;
            continue;
        };
        let (item, own) = (join(&items, &name), join(&claims, &name));
        if !claim(queue, &own).await? {
            continue;
        }
        let handled = match retry(env, "queue: claimed", &[&name], || zk.get_data(&item)).await {
            Ok((data, _)) => env.keeping(&[&name], handle(&String::from_utf8_lossy(&data))).await,
            // Somebody has done with it before it was claimed.
            Err(ZkError::NoNode) => {
                done(queue, &[&own]).await?;
                continue;
            }
            Err(error) => Err(error.into()),
        };
        return match handled {
            Ok(()) => done(queue, &[&item, &own]).await,
            // With a lost session the claim goes by itself.
            Err(LockError::SessionLost) => handled,
            Err(_) => done(queue, &[&own]).await.and(handled),
        };
    }
}

/// Claims an item. `false`: somebody else has claimed it.
async fn claim<E: Environment, Q: WorkQueue<E>>(queue: &Q, claim: &str) -> Result<bool, LockError> {
    let (env, zk) = (queue.parts().0, queue.parts().0.zookeeper());
    match retry(env, "queue: claim", &[claim], || zk.create(claim, b"", Q::claim_mode())).await {
        Ok(_) => return Ok(true),
        Err(ZkError::NodeExists) => {}
        Err(error) => return Err(error.into()),
    }
    // Perhaps the reply was lost.
    let stat = retry(env, "queue: whose claim", &[claim], || zk.exists(claim)).await?;
    Ok(stat.is_some_and(|stat| stat.ephemeral_owner == zk.session_id()))
}

/// Deletes the nodes in one step. They are the caller's own.
async fn done<E: Environment, Q: WorkQueue<E>>(queue: &Q, paths: &[&str]) -> Result<(), LockError> {
    let (env, zk) = (queue.parts().0, queue.parts().0.zookeeper());
    let ops = || paths.iter().map(|path| Op::Delete { path: (*path).to_owned(), version: None }).collect();
    match retry(env, "queue: done", paths, || zk.multi(ops())).await {
        // The first reply was lost.
        Ok(_) | Err(ZkError::NoNode) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
