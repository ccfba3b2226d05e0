//! LB-02, eugeneware/levels#1: a library's upsert reads, merges and puts.
//!
//! *Mechanism:* both callers get the value; each puts its own merge: the second's replaces the first's. *Smallest configuration:* 2 callers,
//! one key. *Source:* <https://github.com/eugeneware/levels/issues/1>. *Violated:* both merges are there. *Repair:* calls for one
//! key go one after the other, or a put is refused when the value has changed.
//!
//! Translated: a merge adds an element to a list under a key of the hash table.

use overtake_recipes::Value;
use overtake_recipes::store::{DataEnvironment, Dht as _, Updated};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P1";

/// The library's upsert.
async fn merge(ctx: &Context, element: &str, checked: bool) -> Ended {
    loop {
        let old = get(ctx, "k").await?;
        let new = with(&old.data, element);
        if !checked {
            return put(ctx, "k", new).await;
        }
        if ctx.dht().update("k", new, old.version).await? == Updated::Stored {
            return Ok(());
        }
        ctx.mark("merges again");
    }
}

async fn caller(ctx: Context, element: &'static str, checked: bool) -> Ended {
    merge(&ctx, element, checked).await?;
    ctx.mark_with("added", element);
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, checked| {
        scenario(name)
            .about("Two callers of a library merge into one value. Both have read it before either has put its own.")
            .source("https://github.com/eugeneware/levels/issues/1")
            .stores(table(Dht::seed(1).with("k", Value::List(Vec::new()))))
            .client("caller a", move |ctx| caller(ctx, "a", checked))
            .client("caller b", move |ctx| caller(ctx, "b", checked))
            .properties([
                see::what_was_added_is_there("eugeneware/levels#1", |view| see::data(view, "k")),
                no_program_fails(),
                somebody_is(&["added"], "somebody merges"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("LB-02 merge over a library", false)
            .breaks("what was added is there")
            .fixed_by("LB-02 merge over a library, repaired"),
        world("LB-02 merge over a library, repaired", true)
            .property(somebody_is(&["merges again"], "somebody merges again")),
    ]
}
