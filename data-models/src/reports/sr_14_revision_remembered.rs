//! SR-14, tedious/Stash#116: a process that runs for long does not notice what others clear.
//!
//! *Mechanism:* process A remembers revision 1 of a group. B counts the revision up to 2 in the store. A goes on to build its keys with
//! revision 1, and serves what was cleared. *Smallest configuration:* 2 clients, revision and one item, a memory of the client's own.
//! *Source:* <https://github.com/tedious/Stash/issues/116>. *Violated:* after an acknowledged clear nobody returns an item stored before it.
//! *Repair:* the revision is read for each operation.
//!
//! Translated: B tells A over a queue that it has cleared, so that A's read surely begins afterwards.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht as _, Messages as _};
use overtake_sim::program::Context;
use overtake_sim::stores::{Dht, Messages, Stores};

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P9";

async fn revision(ctx: &Context) -> Result<i64, StoreError> {
    Ok(get(ctx, "revision").await?.data.as_int().unwrap_or(0))
}

async fn long_running(ctx: Context, reads_again: bool) -> Ended {
    let mut remembered = revision(&ctx).await?;
    ctx.messages().receive("cleared").await?;
    if reads_again {
        remembered = revision(&ctx).await?;
    }
    match ctx.dht().get(&format!("item@{remembered}")).await? {
        Some(_) => ctx.mark("serves what was cleared"),
        None => ctx.mark("misses"),
    }
    Ok(())
}

async fn clearer(ctx: Context) -> Ended {
    ctx.dht().increment("revision", 1).await?;
    ctx.messages().send("cleared", "cleared".into(), 0).await
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, reads_again| {
        let table = Dht::seed(1).with("revision", 1).with("item@1", "old");
        scenario(name)
            .about("A process remembers the revision of a group for as long as it runs, and another clears the group by counting it up.")
            .source("https://github.com/tedious/Stash/issues/116")
            .stores(Stores { dht: Some(table), messages: Some(Messages::default()), ..Stores::default() })
            .client("A", move |ctx| long_running(ctx, reads_again))
            .client("B", clearer)
            .properties([
                see::at_most(
                    0,
                    &["serves what was cleared"],
                    "nobody serves what was cleared",
                    "tedious/Stash#116",
                ),
                no_program_fails(),
                somebody_is(&["misses"], "somebody misses"),
                everybody_is_done(),
            ])
    };
    vec![
        world("SR-14 revision remembered", false)
            .breaks("nobody serves what was cleared")
            .fixed_by("SR-14 revision remembered, repaired"),
        world("SR-14 revision remembered, repaired", true),
    ]
}
