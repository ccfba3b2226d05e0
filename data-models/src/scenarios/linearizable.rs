//! Whether a hash table is linearizable, as the standalone check of recorded histories has it: each run is judged as a whole.

use overtake_models::{Scenario, scenario};
use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use crate::property::*;

const KEY: &str = "x";
const SOURCE: &str = "Herlihy and Wing 1990; semantics §6.1, §6.4";
const LINEARIZABLE: &str = "calls are linearizable";

/// Changes the item by compare-and-set; a conflict and a lost answer are as they are.
async fn updater(ctx: Context) -> Result<(), StoreError> {
    match ctx.dht().get(KEY).await {
        Ok(Some(item)) => match ctx.dht().update(KEY, "u".into(), item.version).await {
            Ok(_) | Err(StoreError::Unknown | StoreError::Unavailable) => Ok(()),
            Err(error) => Err(error),
        },
        Ok(None) | Err(StoreError::Unknown | StoreError::Unavailable) => Ok(()),
        Err(error) => Err(error),
    }
}

async fn writer(ctx: Context) -> Result<(), StoreError> {
    match ctx.dht().set(KEY, "w".into(), Expiration::Never).await {
        Ok(()) | Err(StoreError::Unknown | StoreError::Unavailable) => Ok(()),
        Err(error) => Err(error),
    }
}

async fn reader(ctx: Context) -> Result<(), StoreError> {
    for _ in 0..2 {
        match ctx.dht().get(KEY).await {
            Ok(_) | Err(StoreError::Unknown | StoreError::Unavailable) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn world(name: &str, about: &str, table: Dht) -> Scenario {
    scenario(name)
        .about(about)
        .source(SOURCE)
        .stores(table.with(KEY, "0").into())
        .records_calls()
        .client("writer", writer)
        .client("reader", reader)
        .properties([calls_are_linearizable(&[(KEY, "0")]), no_program_fails(), everybody_is_done()])
}

/// One node, and what takes linearizability away.
pub fn scenarios() -> Vec<Scenario> {
    vec![
        world(
            "one node is linearizable",
            "A node of a hash table serves calls one by one. What is lost or comes late on the way does not change that.",
            Dht::seed(1),
        )
        .client("updater", updater)
        .timeouts(1),
        world(
            "a node that starts again is not linearizable",
            "A node starts again, empty: what was acknowledged is gone.",
            Dht::seed(1),
        )
        .node_restarts(1)
        .breaks(LINEARIZABLE)
        .kept_within_bounds_of("one node is linearizable"),
        world(
            "another owner is not linearizable",
            "The owner of a key is lost, and another node takes its place, where nothing of the key is known.",
            Dht::seed(2).placed(KEY, 0).rehashing(),
        )
        .node_losses(1)
        .breaks(LINEARIZABLE)
        .kept_within_bounds_of("one node is linearizable"),
    ]
}
