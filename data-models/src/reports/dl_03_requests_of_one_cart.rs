//! DL-03, antiwork/gumroad#4766: two requests of one cart lock each other at the checkout.
//!
//! *Mechanism:* two requests of one cart change its rows in different order; each holds the row that the other waits for. *Smallest
//! configuration:* 2 clients, 1 parent, 2 children. *Source:* <https://github.com/antiwork/gumroad/pull/4766>. *Violated:* no cycle in
//! who waits for whom; every request ends. *Repair:* lock the parent first.

use overtake_recipes::store::documents::inc;
use overtake_recipes::store::{Isolation, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P23";

async fn update(ctx: Context, children: [&'static str; 2], parent_first: bool) -> Ended {
    let checkout = Transaction::begin(&ctx, Isolation::ReadCommitted).await?;
    if parent_first {
        checkout.lock("carts", "cart").await?;
    }
    for child in children {
        checkout.change("lines", by_id(child), vec![inc("amount", 1)]).await?;
    }
    checkout.commit().await?;
    ctx.mark("updated");
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, parent_first| {
        let line = |id: &'static str| doc([("_id", id.into()), ("amount", 1.into())]);
        let store = Documents::new().with("carts", doc([("_id", "cart".into())]));
        scenario(name)
            .about("Two requests of one cart update its two lines, the one from the first, the other from the last.")
            .source("https://github.com/antiwork/gumroad/pull/4766")
            .stores(documents(store.with("lines", line("bread")).with("lines", line("milk"))))
            .client("first", move |ctx| update(ctx, ["bread", "milk"], parent_first))
            .client("second", move |ctx| update(ctx, ["milk", "bread"], parent_first))
            .properties([no_cycle_of_waits(), somebody_is(&["updated"], "a cart is updated"), everybody_is_done()])
    };
    let repaired = "DL-03 requests of one cart, repaired";
    vec![
        world("DL-03 requests of one cart", false).breaks("no cycle of waits").fixed_by(repaired),
        world(repaired, true).property(everybody_ends()),
    ]
}
