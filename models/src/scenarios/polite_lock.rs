//! A lock without a queue, whose contenders can step aside for each other for ever.

use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper};
use overtake_sim::program::Context;

use super::programs::LOCK;
use crate::property::*;
use crate::scenario::{Scenario, scenario};

/// Creates a node; alone under the parent it has the lock, otherwise it steps aside and tries again.
///
/// *Wrong:* there is no order, so two who meet can step aside together for ever. *Cure:* the lowest number stays.
async fn polite(ctx: Context) -> Result<(), ZkError> {
    let zk = ctx.zookeeper();
    loop {
        ctx.checkpoint("try", &[]);
        let own = zk.create("/lock/n-", b"", CreateMode::EphemeralSequential).await?;
        ctx.checkpoint("look", &[&own]);
        let alone = zk.children(LOCK).await?.len() == 1;
        if alone {
            ctx.mark_with("holds", &own);
            ctx.work("work").await;
            ctx.unmark("holds");
        }
        ctx.checkpoint(if alone { "leave" } else { "step aside" }, &[&own]);
        zk.delete(&own, None).await?;
        if alone {
            return Ok(());
        }
    }
}

/// The scenarios.
pub fn scenarios() -> Vec<Scenario> {
    let properties =
        || vec![at_most_one_live_holder(), no_wait_without_wake_up(), somebody_holds(), everybody_is_done()];
    vec![
        scenario("polite lock")
            .about("Whoever sees another contender steps aside and tries again. Nobody is excluded wrongly, and nothing comes to rest, but nobody need ever get in.")
            .source("https://github.com/apache/curator/issues/1161")
            .node(LOCK)
            .clients(2, polite)
            .properties(properties())
            .property(everybody_ends())
            .breaks("everybody ends")
            .fixed_by("predecessor lock, everybody ends"),
        scenario("polite lock, safety")
            .about("The same as far as safety goes: two who see each other never hold together.")
            .source("https://github.com/apache/curator/issues/1161")
            .node(LOCK)
            .clients(2, polite)
            .properties(properties()),
    ]
}
