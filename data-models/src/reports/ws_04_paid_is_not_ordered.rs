//! WS-04, BroadleafCommerce/BroadleafCommerce#1574: what was paid is not what was ordered.
//!
//! *Mechanism:* the first tab reads a total of 10 and charges it; the second tab raises the quantity to a total of 20; the first submits the
//! order with what is in the cart by now. *Smallest configuration:* one user in 2 tabs, cart and payment. *Source:*
//! <https://github.com/BroadleafCommerce/BroadleafCommerce/issues/1574>. *Violated:* the amount paid is the total of the order. *Repair:*
//! the cart is frozen, at the version that was read, when the payment opens.
//!
//! Translated from SQL: cart, payment and order are documents.

use overtake_recipes::store::documents::{and, eq, inc, ne, set};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P6";

async fn check_out(ctx: Context, freezes: bool) -> Ended {
    let cart = read(&ctx, "carts", "cart").await?;
    if freezes {
        let as_read = and([by_id("cart"), eq("version", cart.int("version"))]);
        if !change(&ctx, "carts", as_read, vec![set("frozen", true)]).await? {
            ctx.mark("shown the new total");
            return Ok(());
        }
    }
    ctx.documents().insert("payments", doc([("amount", cart.int("total").into())])).await?;
    let cart = read(&ctx, "carts", "cart").await?;
    ctx.documents().insert("orders", doc([("total", cart.int("total").into())])).await?;
    ctx.mark("ordered");
    Ok(())
}

async fn other_tab(ctx: Context, freezes: bool) -> Ended {
    let open = if freezes { and([by_id("cart"), ne("frozen", true)]) } else { by_id("cart") };
    let raised = change(&ctx, "carts", open, vec![inc("total", 10), inc("version", 1)]).await?;
    ctx.mark(if raised { "raised" } else { "refused" });
    Ok(())
}

fn paid_is_ordered() -> Property {
    Property::always("what is paid is what is ordered", "BroadleafCommerce/BroadleafCommerce#1574", |view| {
        let orders = see::all(view, "orders");
        let (paid, ordered) = (see::sum(&see::all(view, "payments"), "amount"), see::sum(&orders, "total"));
        see::kept(orders.is_empty() || paid == ordered, || format!("{paid} is paid, {ordered} is ordered"))
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, freezes| {
        let cart = doc([("_id", "cart".into()), ("total", 10.into()), ("version", 0.into())]);
        scenario(name)
            .about("One tab pays for the cart as it was, the other puts more into it, and the order takes the cart as it is.")
            .source("https://github.com/BroadleafCommerce/BroadleafCommerce/issues/1574")
            .stores(documents(Documents::new().with("carts", cart)))
            .client("payment", move |ctx| check_out(ctx, freezes))
            .client("other tab", move |ctx| other_tab(ctx, freezes))
            .properties([
                paid_is_ordered(),
                no_program_fails(),
                somebody_is(&["ordered"], "somebody orders"),
                somebody_is(&["raised"], "somebody raises the total"),
                everybody_is_done(),
            ])
    };
    vec![
        world("WS-04 paid is not ordered", false)
            .breaks("what is paid is what is ordered")
            .fixed_by("WS-04 paid is not ordered, repaired"),
        world("WS-04 paid is not ordered, repaired", true).properties([
            somebody_is(&["refused"], "somebody finds the cart frozen"),
            somebody_is(&["shown the new total"], "somebody is shown the new total"),
        ]),
    ]
}
