//! O78, CURATOR-358: the query for the leader fails when the leader leaves between list and read.
//!
//! *Mechanism:* an observer lists the candidates and reads the first. The first is gone, and the error goes to the
//! caller, who takes it for a failure or for "no leader". *Smallest configuration:* 1 observer, 2 candidates.
//! *Source:* <https://github.com/apache/curator/issues/878>. *Violated:* a query during a hand-over answers some
//! recent leader or "none", never an error. *Repair:* go on to the next candidate.

use overtake_recipes::names::{contenders, join};
use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use crate::property::*;
use crate::scenario::{Scenario, scenario};

const ELECTION: &str = "/election";

async fn candidate(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    let path = join(ELECTION, "n-");
    let me = zk.create(&path, b"", CreateMode::EphemeralSequential).await?;
    ctx.work("stand").await;
    zk.delete(&me, None).await
}

async fn leader(ctx: &Context, goes_on: bool) -> Result<Option<String>, ZkError> {
    let zk = ctx.zookeeper();
    for name in contenders(zk.children(ELECTION).await?) {
        let path = join(ELECTION, &name);
        match zk.get_data(&path).await {
            Ok(_) => return Ok(Some(path)),
            Err(ZkError::NoNode) if goes_on => ctx.mark("went on"),
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

async fn observer(ctx: Context, goes_on: bool) -> Result<(), ZkError> {
    if let Some(leader) = leader(&ctx, goes_on).await? {
        ctx.mark_with("saw a leader", &leader);
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, goes_on| {
        scenario(name)
            .about("An observer lists the candidates; the first of them leaves before the observer reads it.")
            .source("https://github.com/apache/curator/issues/878")
            .node(ELECTION)
            .clients(2, candidate)
            .client("observer", move |ctx| observer(ctx, goes_on))
            .properties([
                no_program_fails(),
                somebody_is(&["saw a leader"], "the observer sees a leader"),
                everybody_is_done(),
            ])
    };
    vec![
        world("O78 leader leaves during a query", false)
            .breaks("no program fails")
            .fixed_by("O78 leader leaves during a query, repaired"),
        world("O78 leader leaves during a query, repaired", true)
            .property(somebody_is(&["went on"], "the observer goes on to the next")),
    ]
}
