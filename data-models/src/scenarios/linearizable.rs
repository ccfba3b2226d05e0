//! A register in a hash table: when it looks like one copy, and when it does not.

use overtake_models::property::everybody_is_done;
use overtake_models::scenario::{Scenario, scenario};
use overtake_recipes::store::{Dht as _, Expiration};
use overtake_recipes::{DataEnvironment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::{Dht, Stores};

use crate::property::{Property, linearizable};

const KEY: &str = "register";

/// Writes twice.
async fn writes(ctx: Context) -> Result<(), StoreError> {
    for value in [1, 2] {
        match ctx.dht().set(KEY, value.into(), Expiration::Never).await {
            Ok(()) | Err(StoreError::Unknown | StoreError::Unavailable) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads twice.
async fn reads(ctx: Context) -> Result<(), StoreError> {
    for mark in ["read once", "read twice"] {
        match ctx.dht().get(KEY).await {
            Ok(item) => ctx.mark_with(mark, &item.map_or("nothing".into(), |item| item.data.to_string())),
            Err(StoreError::Unknown | StoreError::Unavailable) => ctx.mark_with(mark, "no answer"),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn register(name: &str, about: &str, table: Dht) -> Scenario {
    let reads_new = Property::sometimes("the last write is read", |view| {
        let reader = view.clients().find(|client| client.name() == "reader");
        reader.and_then(|client| client.mark("read twice").flatten()).is_some_and(|read| read.short() == "2")
    });
    scenario(name)
        .about(about)
        .source("semantics §6.5; Herlihy and Wing 1990")
        .client("writer", writes)
        .client("reader", reads)
        .stores(Stores { dht: Some(table), ..Stores::default() })
        .records_calls()
        .properties([linearizable(&[(KEY, "0")]), reads_new, everybody_is_done()])
}

/// The register under faults.
pub fn scenarios() -> Vec<Scenario> {
    let table = |nodes| Dht::seed(nodes).with(KEY, 0);
    vec![
        register("a register in a table", "One client writes twice, another reads twice. Each read is of one moment.", table(1)),
        register(
            "a register in a table, answers lost",
            "A call or its answer is lost, or the call arrives after its caller has given it up: it may have taken effect at any moment \
             after it was made, and never has it twice.",
            table(1),
        )
        .timeouts(1),
        register(
            "a register whose node comes back",
            "The node is lost, clients hash the key to a neighbour, and then the node is back with what it had: what was written \
             meanwhile is gone, and clients that know different rings read different copies.",
            table(2).rehashing(),
        )
        .node_losses(1)
        .node_returns(1)
        .breaks("the table is linearizable")
        .kept_within_bounds_of("a register in a table"),
        register(
            "a register in a table, a call in two copies",
            "A write arrives twice: its second copy sets the register back to what it was before the next write.",
            table(1),
        )
        .duplicates(1)
        .breaks("the table is linearizable")
        .kept_within_bounds_of("a register in a table"),
    ]
}
