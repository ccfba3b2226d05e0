//! CA-05, macrozheng/mall#1003: one coupon pays for several orders.
//!
//! *Mechanism:* two transactions read the coupon as unused and create an order each; each then updates it to used by its id alone, so
//! both match one row. *Smallest configuration:* 2 clients, one coupon. *Source:* <https://github.com/macrozheng/mall/issues/1003>.
//! *Violated:* a coupon has at most one order. *Repair:* the expected status stands in the update's predicate, and a transaction that
//! has changed no row is aborted.
//!
//! Translated from SQL: transactions at read committed. The second update waits for the first transaction, and then matches as well.

use overtake_recipes::store::documents::{and, eq, set};
use overtake_recipes::store::{Isolation, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P5";

async fn submit(ctx: Context, expects: bool) -> Ended {
    let transaction = Transaction::begin(&ctx, Isolation::ReadCommitted).await?;
    if transaction.read("coupons", "c1").await?.text("status") != "unused" {
        ctx.mark("refused");
        return transaction.abort().await;
    }
    transaction.insert("orders", doc([("coupon", "c1".into())])).await?;
    let expected = if expects { and([by_id("c1"), eq("status", "unused")]) } else { by_id("c1") };
    if !transaction.change("coupons", expected, vec![set("status", "used")]).await? {
        ctx.mark("too late");
        return transaction.abort().await;
    }
    transaction.commit().await?;
    ctx.mark("ordered");
    Ok(())
}

fn one_order_for_a_coupon() -> Property {
    Property::always("a coupon has one order", "macrozheng/mall#1003", |view| {
        let orders = see::all(view, "orders").len();
        see::kept(orders <= 1, || format!("{orders} orders have the same coupon"))
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, expects| {
        let coupon = doc([("_id", "c1".into()), ("status", "unused".into())]);
        scenario(name)
            .about("Two transactions see an unused coupon, order with it, and mark it as used one after the other.")
            .source("https://github.com/macrozheng/mall/issues/1003")
            .stores(documents(Documents::new().with("coupons", coupon)))
            .clients(2, move |ctx| submit(ctx, expects))
            .properties([
                one_order_for_a_coupon(),
                no_program_fails(),
                somebody_is(&["ordered"], "somebody orders"),
                somebody_is(&["refused"], "somebody sees a used coupon"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("CA-05 coupon for two orders", false)
            .breaks("a coupon has one order")
            .fixed_by("CA-05 coupon for two orders, repaired"),
        world("CA-05 coupon for two orders, repaired", true)
            .property(somebody_is(&["too late"], "somebody comes too late")),
    ]
}
