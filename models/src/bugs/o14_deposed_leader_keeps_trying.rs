//! O14, kubernetes#23731: a leader that lost its record keeps trying to renew it, and leads on.
//!
//! *Mechanism:* a renewal fails; another takes the record. The first one's next tries see "held by another" and stay
//! inside the loop that renews. `OnStoppedLeading` is never called. *Smallest configuration:* 2 clients, 1 renewal that
//! comes too late. *Source:* <https://github.com/kubernetes/kubernetes/issues/23731>. *Violated:* who loses the record
//! stops leading. *Repair:* leave the loop on any loss, and say so, before trying again.
//!
//! Translated from Kubernetes: the record is a persistent node whose data names the leader, written by its version. The
//! rival's timer stands for the end of the lease: in the untimed search it may come before any renewal. A deposed leader
//! that tries again waits for the next change of the record.

use std::time::Duration;

use overtake_recipes::{Environment, Watch, ZkError, ZooKeeper};
use overtake_sim::names::Text;
use overtake_sim::program::Context;

use super::report::Report;
use crate::property::*;
use crate::scenario::Scenario;

const RECORD: &str = "/record";
const RENEWALS: usize = 2;
const PERIOD: Duration = Duration::from_secs(2);
const LEASE: Duration = Duration::from_secs(15);

async fn leader<const LEAVES: bool>(ctx: Context) -> Result<(), ZkError> {
    let (zk, me) = (ctx.zookeeper(), ctx.unique_id());
    let (named, mut record) = zk.get_data(RECORD).await?;
    if !named.is_empty() {
        return Ok(());
    }
    for renewal in 0..=RENEWALS {
        match zk.set_data(RECORD, me.as_bytes(), Some(record.version)).await {
            Ok(stat) => record = stat,
            Err(ZkError::BadVersion) if renewal == 0 || LEAVES => {
                ctx.unmark("leads");
                return Ok(());
            }
            Err(ZkError::BadVersion) => record = until_free(&ctx, &me).await?,
            Err(error) => return Err(error),
        }
        ctx.mark_with("leads", &me);
        ctx.sleep(PERIOD).await;
    }
    ctx.unmark("leads");
    match zk.set_data(RECORD, b"", Some(record.version)).await {
        Ok(_) | Err(ZkError::BadVersion) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Tries until nobody else is named, inside the loop that renews.
async fn until_free(ctx: &Context, me: &str) -> Result<overtake_recipes::Stat, ZkError> {
    loop {
        let (named, stat, mut watch) = ctx.zookeeper().watch_data(RECORD).await?;
        if named.is_empty() || named == me.as_bytes() {
            return Ok(stat);
        }
        watch.next().await;
    }
}

/// Takes the record when its lease is over, and leads for good.
async fn rival(ctx: Context) -> Result<(), ZkError> {
    let (zk, me) = (ctx.zookeeper(), ctx.unique_id());
    let (_, stat) = zk.get_data(RECORD).await?;
    ctx.sleep(LEASE).await;
    match zk.set_data(RECORD, me.as_bytes(), Some(stat.version)).await {
        Ok(_) => ctx.mark_with("leads", &me),
        Err(ZkError::BadVersion) => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

/// At rest, everybody who leads is named by the record.
fn deposed_leaders_stop() -> Property {
    let record = Text::new(RECORD);
    Property::at_rest("who loses the record stops leading", "kubernetes#23731", move |view| {
        let named = view.zookeeper().data(record).flatten();
        let deposed = |c: &overtake_sim::world::ClientView<'_>| c.mark("leads").is_some_and(|me| me != named);
        match view.clients().find(deposed) {
            None => Ok(()),
            Some(c) => Err(format!("{} leads on, and the record names another", c.name())),
        }
    })
    .where_marked(&["leads"], 1)
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    Report {
        name: "O14 deposed leader keeps trying",
        source: "https://github.com/kubernetes/kubernetes/issues/23731",
        about: "A leader renews its record too late: another is named there. It goes on trying to renew, and never tells \
                anybody that it leads no more. Repaired: it leaves the loop.",
        violates: "who loses the record stops leading",
    }
    .pair(
        |s| s.client("leader", leader::<false>),
        |s| s.client("leader", leader::<true>),
        |s| {
            s.client("rival", rival).node(RECORD).properties([
                deposed_leaders_stop(),
                no_program_fails(),
                somebody_is(&["leads"], "somebody leads"),
                everybody_is_done(),
            ])
        },
    )
}
