//! O09: a holder works on after its session has expired.
//!
//! The session of a holder expires while it works, and another client is granted. The first is neither interrupted
//! nor asked, and its library has opened a new session by itself: its late write lands on top of the other's.
//!
//! Smallest: 2 clients, 1 expiry. Source: <https://github.com/apache/curator/issues/727>.

use overtake_recipes::{Environment, ZkError, ZooKeeper, names};
use overtake_sim::program::Context;

use super::properties::no_write_by_a_former_holder;
use super::report::Report;
use super::steps::{enqueue, give_up_if_lost, is_lost, reconnect, turn};
use crate::property::*;
use crate::scenario::Scenario;

const RESOURCE: &str = "/resource";

/// The write of the holder: with a fence, only over what an earlier holder wrote.
async fn write<const FENCED: bool>(ctx: &Context, own: &str) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    if !FENCED {
        return zk.set_data(RESOURCE, own.as_bytes(), None).await.map(drop);
    }
    loop {
        let (written, stat) = zk.get_data(RESOURCE).await?;
        let by = String::from_utf8(written).expect("the path of a holder");
        if names::suffix(&by) > names::suffix(own) {
            return Err(ZkError::BadVersion);
        }
        let version = Some(stat.version);
        match zk.set_data(RESOURCE, own.as_bytes(), version).await {
            Err(ZkError::BadVersion) => {}
            answer => return answer.map(drop),
        }
    }
}

async fn user<const FENCED: bool>(ctx: Context) -> Result<(), ZkError> {
    give_up_if_lost(turn_and_write::<FENCED>(&ctx).await)
}

async fn turn_and_write<const FENCED: bool>(ctx: &Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let own = enqueue(ctx, "/lock/n-").await?;
    turn(ctx, "/lock", &own).await?;
    ctx.mark_with("holds", &own);
    ctx.work("work").await;
    let mut written = write::<FENCED>(ctx, &own).await;
    if written.is_err_and(is_lost) {
        // The library opens a new session; the thread that works is not told.
        reconnect(ctx).await?;
        written = write::<FENCED>(ctx, &own).await;
    }
    if written.is_ok() {
        ctx.mark("wrote");
        ctx.work("more work").await;
        ctx.unmark("wrote");
    }
    ctx.unmark("holds");
    match zk.delete(&own, None).await {
        Err(ZkError::NoNode) => Ok(()),
        other => other,
    }
}

/// The faulty section and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O09 work goes on after expiry",
        source: "https://github.com/apache/curator/issues/727",
        about: "Two clients take turns to write to a resource. One whose session expires while it works writes in the \
                next session of its library, over what the next holder wrote. Repaired: the resource is fenced; nobody \
                writes over a holder with a higher number.",
        violates: "no write by a former holder",
    }
    .pair(
        |s| s.clients(2, user::<false>),
        |s| s.clients(2, user::<true>),
        |s| {
            s.node("/lock").node(RESOURCE).expiries(1).properties([
                no_write_by_a_former_holder(RESOURCE),
                no_wait_without_wake_up(),
                no_program_fails(),
                somebody_is(&["wrote"], "somebody wrote"),
                everybody_is_done(),
            ])
        },
    )
}
