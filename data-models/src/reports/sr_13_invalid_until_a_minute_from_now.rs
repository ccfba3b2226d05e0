//! SR-13, infinispan/infinispan#18037: a cache of query results is of no use for a minute after a change.
//!
//! *Mechanism:* before the commit the writer invalidates up to a minute from now (in the future); after the commit it invalidates up to now. The
//! replicated cache of timestamps keeps the greater: the second write does not stick. *Smallest configuration:* 1 writer, one
//! timestamp. *Source:* <https://github.com/infinispan/infinispan/issues/18037>. *Violated:* after the second write results that are newer
//! than it may be used. *Repair:* the last write in the writer's own order wins.
//!
//! Translated: the timestamp is a document, and keeping the greater is its `$max`. The report does not say why the second write does not stick;
//! this is one of its two candidates. The writer tells the reader over a queue that it is done, and the reader has a result of then.

use overtake_recipes::store::documents::{Change, set};
use overtake_recipes::store::{DataEnvironment, Messages as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::{Documents, Messages, Stores};

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P11";

const NOW: i64 = 1;
const IN_A_MINUTE: i64 = 61;

/// The cache of timestamps: results up to that moment are invalid.
async fn invalidate(ctx: &Context, until: i64, in_order: bool) -> Ended {
    let write = if in_order { set("until", until) } else { Change::Max("until".into(), until.into()) };
    change(ctx, "timestamps", by_id("table"), vec![write]).await.map(drop)
}

async fn writer(ctx: Context, in_order: bool) -> Ended {
    invalidate(&ctx, IN_A_MINUTE, in_order).await?;
    ctx.work("commit").await;
    invalidate(&ctx, NOW, in_order).await?;
    ctx.messages().send("done", NOW.into(), 0).await
}

async fn reader(ctx: Context) -> Ended {
    let result = ctx.messages().receive("done").await?.body.as_int().unwrap_or(0) + 1;
    let until = read(&ctx, "timestamps", "table").await?.int("until");
    ctx.mark(if result > until { "uses the cached result" } else { "may not use a newer result" });
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, in_order| {
        let store = Documents::new().with("timestamps", doc([("_id", "table".into()), ("until", 0.into())]));
        scenario(name)
            .about("A writer invalidates up to a minute from now, commits, and invalidates up to now. The cache keeps the greater of the two.")
            .source("https://github.com/infinispan/infinispan/issues/18037")
            .stores(Stores { messages: Some(Messages::default()), ..documents(store) })
            .client("writer", move |ctx| writer(ctx, in_order))
            .client("reader", reader)
            .properties([
                see::at_most(
                    0,
                    &["may not use a newer result"],
                    "newer results may be used",
                    "infinispan/infinispan#18037",
                ),
                no_program_fails(),
                everybody_is_done(),
            ])
    };
    vec![
        world("SR-13 invalid until a minute from now", false)
            .breaks("newer results may be used")
            .fixed_by("SR-13 invalid until a minute from now, repaired"),
        world("SR-13 invalid until a minute from now, repaired", true)
            .property(somebody_is(&["uses the cached result"], "somebody uses a cached result")),
    ]
}
