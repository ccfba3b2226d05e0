//! RX-03, cortexproject/cortex#7706: a loop knows one of two forms of a conflict.
//!
//! *Mechanism:* the ring's key is written in a transaction. A conflict arrives as "the condition failed", which the loop tries again, or as
//! "the transaction was cancelled", which it does not know: the first of these ends the loop, and the joining member fails.
//! *Smallest configuration:* 2 clients, one key, a store with two forms of a conflict. *Source:*
//! <https://github.com/cortexproject/cortex/pull/7706>. *Violated:* a conflict is tried again; so every
//! member joins in the end. *Repair:* both forms are known.
//!
//! Translated: the ring is a document that a snapshot transaction changes on the condition of its version: no document matches, or the store
//! aborts the transaction because another has written the document.

use overtake_recipes::store::documents::{and, eq, inc};
use overtake_recipes::store::{Isolation, doc};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P17";

/// Joins at the version that was read; `false` when the condition fails.
async fn enter(ctx: &Context, me: &str, version: i64) -> Result<bool, StoreError> {
    let transaction = Transaction::begin(ctx, Isolation::Snapshot).await?;
    let same = and([by_id("ring"), eq("version", version)]);
    if transaction.change("rings", same, vec![push("members", me), inc("version", 1)]).await? {
        transaction.commit().await?;
        return Ok(true);
    }
    transaction.abort().await?;
    Ok(false)
}

async fn join(ctx: Context, me: &'static str, knows_both: bool) -> Ended {
    loop {
        ctx.checkpoint("join", &[]);
        let version = read(&ctx, "rings", "ring").await?.int("version");
        match enter(&ctx, me, version).await {
            Ok(true) => break,
            Ok(false) => ctx.mark("tries again"),
            Err(StoreError::WriteConflict) if knows_both => ctx.mark("was aborted, tries again"),
            Err(StoreError::WriteConflict) => {
                ctx.mark("fails to join");
                return Ok(());
            }
            Err(error) => return Err(error),
        }
    }
    ctx.mark_with("added", me);
    Ok(())
}

/// The ring of a world at rest has everybody who is alive: whose conflict is tried again gets in.
fn every_member_joins() -> Property {
    Property::at_rest("every member joins", "cortexproject/cortex#7706", |view| {
        let members = see::one(view, "rings", "ring").at("members").cloned().unwrap_or_default().strings();
        let outside = view
            .clients()
            .filter(|client| !client.is_crashed())
            .find(|client| !members.iter().any(|member| client.name().ends_with(member)));
        see::kept(outside.is_none(), || {
            let who = outside.map_or("nobody", |client| client.name());
            format!("nothing can happen any more, and {who} is not in the ring")
        })
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, knows_both| {
        scenario(name)
            .about(
                "Two members join a ring. One loses, and its conflict comes in the form that its loop does not know.",
            )
            .source("https://github.com/cortexproject/cortex/pull/7706")
            .stores(documents(Documents::new().with("rings", doc([("_id", "ring".into()), ("version", 0.into())]))))
            .client("member a", move |ctx| join(ctx, "a", knows_both))
            .client("member b", move |ctx| join(ctx, "b", knows_both))
            .properties([
                every_member_joins(),
                see::what_was_added_is_there("cortexproject/cortex#7706", |view| {
                    see::one(view, "rings", "ring").at("members").cloned().unwrap_or_default()
                }),
                no_program_fails(),
                somebody_is(&["tries again"], "somebody tries again"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("RX-03 second form of a conflict", false)
            .breaks("every member joins")
            .fixed_by("RX-03 second form of a conflict, repaired"),
        world("RX-03 second form of a conflict, repaired", true)
            .property(somebody_is(&["was aborted, tries again"], "somebody is aborted")),
    ]
}
