//! O83 (i), Kleppmann 2016: a pause between the grant and its use.
//!
//! *Mechanism:* a client is granted the lock and pauses while the reply is in its buffers. Its lease ends; another is
//! granted and writes. The first wakes, reads "granted", and writes too. *Smallest configuration:* 2 clients, 1
//! resource, 1 pause. *Source:* <https://github.com/guevara/read-it-later/issues/9604>. *Violated:* no unfenced write
//! after another grant. *Repair:* the resource compares tokens and refuses an older one.
//!
//! The resource is a node of its own with the token of the last write. It knows nothing of the lock or of the
//! session behind it: a client whose session is over writes to it in another. The token is the number of the node by
//! which the lock was granted.

use overtake_recipes::names::{contenders, join, leaf, suffix};
use overtake_recipes::{CreateMode, Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::properties_b::deposed_leaders_are_refused;
use super::requests::{answered, give_up_if_expired};
use crate::property::*;
use crate::scenario::{Scenario, scenario};

/// The parent of the lock's nodes.
pub const LOCK: &str = "/lock";
/// The resource.
pub const STORAGE: &str = "/storage";

/// The name of the node by which the lock is granted; the label begins it.
async fn acquire(ctx: &Context, label: &str) -> Result<String, ZkError> {
    let zk = ctx.zookeeper();
    let path = join(LOCK, label);
    let me = answered(ctx, || zk.create(&path, b"", CreateMode::EphemeralSequential)).await?;
    loop {
        ctx.checkpoint("list", &[&me]);
        let names = contenders(answered(ctx, || zk.children(LOCK)).await?);
        let at = names.iter().position(|name| name == leaf(&me));
        let Some(before) = at.and_then(|at| names[..at].last()) else {
            return Ok(leaf(&me).into());
        };
        let before = join(LOCK, before);
        match answered(ctx, || zk.watch_data(&before)).await {
            Ok((_, _, mut watch)) => drop(watch.next().await),
            Err(ZkError::NoNode) => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether the first token is newer than the second, to the resource.
pub type Newer = fn(&str, &str) -> bool;

/// What the resource does with a write. `None`: it refuses.
async fn write(ctx: &Context, token: &str, newer: Newer) -> Result<Option<()>, ZkError> {
    let zk = ctx.zookeeper();
    loop {
        let (last, stat) = answered(ctx, || zk.get_data(STORAGE)).await?;
        let last = String::from_utf8_lossy(&last).into_owned();
        if newer(&last, token) {
            return Ok(None);
        }
        match answered(ctx, || zk.set_data(STORAGE, token.as_bytes(), Some(stat.version))).await {
            Ok(_) => return Ok(Some(())),
            Err(ZkError::BadVersion) => {}
            Err(error) => return Err(error),
        }
    }
}

/// Acquires the lock with a name that begins so and writes to the resource, in any session.
pub async fn client(ctx: Context, label: &str, newer: Newer) -> Result<(), ZkError> {
    let token = acquire(&ctx, label).await?;
    let mut written = write(&ctx, &token, newer).await;
    if written == Err(ZkError::SessionExpired) {
        ctx.zookeeper().connect().await?;
        written = write(&ctx, &token, newer).await;
    }
    match written? {
        Some(()) => ctx.mark_with("wrote", &token),
        None => ctx.mark("refused"),
    }
    let path = join(LOCK, &token);
    let zk = ctx.zookeeper();
    match answered(&ctx, || zk.delete(&path, None)).await {
        Err(ZkError::NoNode) => Ok(()),
        answer => answer,
    }
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, newer: Newer| {
        scenario(name)
            .about(
                "A client is granted the lock, and its session ends before it uses the grant. Another is granted and \
                 writes; then the write of the first arrives.",
            )
            .source("https://github.com/guevara/read-it-later/issues/9604")
            .node(LOCK)
            .node(STORAGE)
            .clients(2, move |ctx| async move { give_up_if_expired(client(ctx, "n-", newer).await) })
            .expiries(1)
            .properties([
                deposed_leaders_are_refused(STORAGE),
                no_program_fails(),
                somebody_is(&["wrote"], "a client writes"),
                everybody_is_done(),
            ])
    };
    vec![
        world("O83 pause between grant and use", |_, _| false)
            .breaks("deposed leaders are refused")
            .fixed_by("O83 pause between grant and use, repaired"),
        world("O83 pause between grant and use, repaired", |last, token| suffix(last) > suffix(token))
            .property(somebody_is(&["refused"], "a late write is refused")),
    ]
}
