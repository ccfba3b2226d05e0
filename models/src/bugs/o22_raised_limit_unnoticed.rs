//! O22: a blocked acquire does not notice that the limit was raised.
//!
//! All permits are taken. Another client raises the number of permits; the listener of that number stores it and wakes
//! nobody, and no lease changes.
//!
//! Smallest: 1 waiter, 1 holder, 1 client that raises the limit. Source:
//! <https://github.com/apache/curator/issues/596>.

use futures_util::future::select;
use overtake_recipes::{Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::{enqueue, in_line};
use crate::property::*;
use crate::scenario::Scenario;

/// Takes a lease for life as soon as the limit allows.
async fn acquire<const NOTIFIES: bool>(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let own = enqueue(&ctx, "/leases/l-").await?;
    loop {
        let (limit, _, mut raised) = zk.watch_data("/limit").await?;
        let limit = if limit == b"2" { 2 } else { 1 };
        let (leases, mut changed) = zk.watch_children("/leases").await?;
        let ahead = in_line("/leases", leases);
        if ahead.iter().take(limit).any(|path| *path == own) {
            break;
        }
        let changed = std::pin::pin!(changed.next());
        match NOTIFIES {
            true => drop(select(changed, std::pin::pin!(raised.next())).await),
            false => drop(changed.await),
        }
    }
    ctx.mark_with("holds", &own);
    Ok(())
}

async fn raise(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    zk.set_data("/limit", b"2", None).await.map(drop)
}

/// The faulty semaphore and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O22 raised limit unnoticed",
        source: "https://github.com/apache/curator/issues/596",
        about: "Two clients want a lease for life, there is one permit, and a third client raises the limit to two. Who \
                waits for the leases to change is not told. Repaired: a change of the limit wakes it too.",
        violates: "no wait without a wake-up",
    }
    .pair(
        |s| s.clients(2, acquire::<false>),
        |s| s.clients(2, acquire::<true>),
        |s| {
            s.client("operator", raise)
                .node("/limit")
                .node("/leases")
                .properties([
                    no_wait_without_wake_up(),
                    no_program_fails(),
                    somebody_holds(),
                    everybody_is_done(),
                ])
        },
    )
}
