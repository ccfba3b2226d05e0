//! DI-08, memgraph/memgraph#4352: merges of one relationship at the same time make two, under snapshot isolation.
//!
//! *Mechanism:* two transactions start where there is no edge; each finds none and makes it. They make different objects, so no write
//! meets another; both commit. *Smallest configuration:* 2 transactions, 2 nodes. *Source:*
//! <https://github.com/memgraph/memgraph/issues/4352>. *Violated:* at most one edge of a kind between two nodes. *Repair:* a constraint
//! that the store checks; the second transaction is refused and runs again.

use overtake_recipes::store::documents::{and, eq};
use overtake_recipes::store::{Isolation, doc};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P4";

const BREAKS: &str = "one edge between two nodes";

async fn attempt(ctx: &Context) -> Ended {
    let transaction = Transaction::begin(ctx, Isolation::Snapshot).await?;
    if !transaction.find("edges", and([eq("from", "a"), eq("to", "b")])).await?.is_empty() {
        ctx.mark("found");
        return transaction.abort().await;
    }
    transaction.insert("edges", doc([("from", "a".into()), ("to", "b".into())])).await?;
    transaction.commit().await
}

async fn merge(ctx: Context) -> Ended {
    loop {
        ctx.checkpoint("merge", &[]);
        match attempt(&ctx).await {
            Err(StoreError::WriteConflict | StoreError::DuplicateKey) => {}
            merged => return merged,
        }
    }
}

/// The faulty store and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, constraint| {
        let store = if constraint { Documents::new().unique("edges", &["from", "to"]) } else { Documents::new() };
        scenario(name)
            .about("Two transactions merge the same relationship: each looks for it under its snapshot, and makes it when there is none.")
            .source("https://github.com/memgraph/memgraph/issues/4352")
            .stores(documents(store))
            .clients(2, merge)
            .properties([
                no_duplicates(BREAKS, "memgraph/memgraph#4352", "edges", &["from", "to"]),
                somebody_is(&["found"], "the second finds what the first has made"),
                no_program_fails(),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("DI-08 merge under a snapshot", false).breaks(BREAKS).fixed_by("DI-08 merge under a snapshot, repaired"),
        world("DI-08 merge under a snapshot, repaired", true),
    ]
}
