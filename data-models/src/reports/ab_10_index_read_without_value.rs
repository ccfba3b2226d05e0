//! AB-10, hashicorp/consul#304: a write does not tell its new index, so the client reads it afterwards.
//!
//! *Mechanism:* C1's compare-and-set succeeds; the answer holds no index. C2's succeeds after it. C1 reads the key to learn "its" index, gets
//! C2's, and keeps its own value in memory; its next compare-and-set, with a value based on its own, succeeds: C2's change is lost.
//! *Smallest configuration:* 2 clients, one key, three writes. *Source:* <https://github.com/hashicorp/consul/issues/304>. *Violated:* a
//! compare-and-set succeeds only if its caller has seen the value at that version; so what was added is there. *Repair:* whoever
//! reads again takes value and version together.
//!
//! Translated: the key is one of the hash table, whose update answers without a version as well; its value is a list.

use overtake_recipes::store::{DataEnvironment, Dht as _, Item, Updated};
use overtake_recipes::{StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P24";

/// Adds an element to what the client has in memory, and stores that.
async fn add(ctx: &Context, mine: &mut Item, element: &str, together: bool) -> Result<(), StoreError> {
    loop {
        let new = with(&mine.data, element);
        if ctx.dht().update("list", new.clone(), mine.version).await? == Updated::Stored {
            let now = get(ctx, "list").await?;
            *mine = if together { now } else { Item { data: new, version: now.version } };
            return Ok(());
        }
        ctx.mark("reads again");
        *mine = get(ctx, "list").await?;
    }
}

async fn client(ctx: Context, elements: &'static [&'static str], together: bool) -> Ended {
    let mut mine = get(&ctx, "list").await?;
    for (at, element) in elements.iter().enumerate() {
        add(&ctx, &mut mine, element, together).await?;
        ctx.mark_with("added", &elements[..=at].join(" "));
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, together| {
        scenario(name)
            .about("A client learns the version of its own write by reading the key again, when another has written already.")
            .source("https://github.com/hashicorp/consul/issues/304")
            .stores(table(Dht::seed(1).with("list", Value::List(Vec::new()))))
            .client("C1", move |ctx| client(ctx, &["a", "b"], together))
            .client("C2", move |ctx| client(ctx, &["c"], together))
            .properties([
                see::what_was_added_is_there("hashicorp/consul#304", |view| see::data(view, "list")),
                no_program_fails(),
                somebody_is(&["reads again"], "somebody reads again"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("AB-10 index read without value", false)
            .breaks("what was added is there")
            .fixed_by("AB-10 index read without value, repaired"),
        world("AB-10 index read without value, repaired", true),
    ]
}
