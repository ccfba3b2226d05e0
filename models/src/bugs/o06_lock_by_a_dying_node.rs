//! O06: a mutex takes its node of the session before for its own.
//!
//! The session of a client expires while it acquires. The library opens a new one, and the retried list shows the old
//! node still: its end is marked but not yet applied. The client is granted by a node that goes the next moment; the
//! next in line is granted too. (The report blames a server that lags behind; the one server between the two
//! stages of an expiry answers alike.)
//!
//! Smallest: 2 clients, 1 expiry. Source: <https://github.com/apache/curator/issues/1121>.

use overtake_recipes::{Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::report::Report;
use super::steps::{enqueue, give_up_if_lost, hold, is_lost, line, place, reconnect, wait_for};
use crate::property::*;
use crate::scenario::Scenario;

/// A call through a library that opens a new session when the old one is over, and tries again.
async fn look(ctx: &Context) -> Result<Vec<String>, ZkError> {
    match line(ctx, "/mutex").await {
        Err(error) if is_lost(error) => {
            reconnect(ctx).await?;
            line(ctx, "/mutex").await
        }
        answer => answer,
    }
}

async fn acquire<const CHECKS_OWNER: bool>(ctx: &Context) -> Result<String, ZkError> {
    let zk = ctx.zookeeper();
    'anew: loop {
        let own = enqueue(ctx, "/mutex/n-").await?;
        loop {
            let line = look(ctx).await?;
            let Some(at) = place(&line, &own) else {
                continue 'anew;
            };
            if CHECKS_OWNER {
                match zk.exists(&own).await? {
                    Some(stat) if stat.ephemeral_owner == zk.session_id() => {}
                    _ => continue 'anew,
                }
            }
            if at == 0 {
                return Ok(own);
            }
            wait_for(ctx, &line[at - 1]).await?;
        }
    }
}

async fn user<const CHECKS_OWNER: bool>(ctx: Context) -> Result<(), ZkError> {
    let used = match acquire::<CHECKS_OWNER>(&ctx).await {
        Ok(own) => hold(&ctx, &own).await,
        Err(error) => Err(error),
    };
    match used {
        Err(ZkError::NoNode) => Ok(()),
        other => give_up_if_lost(other),
    }
}

/// The faulty mutex and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O06 lock by a dying node",
        source: "https://github.com/apache/curator/issues/1121",
        about: "Two users of a mutex, through a library that opens a new session when the old one is over. The node of \
                the old session, not yet gone, is taken for the own one. Repaired: the owner of the node must be the \
                current session.",
        violates: "grant rests on a live node of the own session",
    }
    .pair(
        |s| s.clients(2, user::<false>),
        |s| s.clients(2, user::<true>),
        |s| {
            s.node("/mutex").expiries(1).properties([
                grant_rests_on_own_live_node(),
                no_wait_without_wake_up(),
                no_program_fails(),
                somebody_holds(),
                everybody_is_done(),
            ])
        },
    )
}
