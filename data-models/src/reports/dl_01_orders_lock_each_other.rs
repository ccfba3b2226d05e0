//! DL-01, django-oscar/django-oscar#4594: orders that are placed at the same time lock each other.
//!
//! *Mechanism:* one basket has lines for p and q, another for q and p. Each order locks the stock of its first line and waits for the
//! other's. *Smallest configuration:* 2 clients, 2 keys. *Source:* <https://github.com/django-oscar/django-oscar/pull/4594>. *Violated:* no
//! cycle in who waits for whom; every request ends. *Repair:* lock in one order.

use overtake_recipes::store::documents::inc;
use overtake_recipes::store::{Isolation, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P23";

async fn place(ctx: Context, mut lines: [&'static str; 2], sorts: bool) -> Ended {
    if sorts {
        lines.sort_unstable();
    }
    let order = Transaction::begin(&ctx, Isolation::ReadCommitted).await?;
    for line in lines {
        order.lock("stock", line).await?;
    }
    for line in lines {
        order.change("stock", by_id(line), vec![inc("left", -1)]).await?;
    }
    order.commit().await?;
    ctx.mark("placed");
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, sorts| {
        let stock = |id: &'static str| doc([("_id", id.into()), ("left", 9.into())]);
        scenario(name)
            .about("Two orders of the same two goods are placed, with their lines in different order.")
            .source("https://github.com/django-oscar/django-oscar/pull/4594")
            .stores(documents(Documents::new().with("stock", stock("p")).with("stock", stock("q"))))
            .client("first", move |ctx| place(ctx, ["p", "q"], sorts))
            .client("second", move |ctx| place(ctx, ["q", "p"], sorts))
            .properties([no_cycle_of_waits(), somebody_is(&["placed"], "an order is placed"), everybody_is_done()])
    };
    let repaired = "DL-01 orders lock each other, repaired";
    vec![
        world("DL-01 orders lock each other", false).breaks("no cycle of waits").fixed_by(repaired),
        world(repaired, true).property(everybody_ends()),
    ]
}
