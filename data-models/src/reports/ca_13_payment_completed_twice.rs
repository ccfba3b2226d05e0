//! CA-13, Automattic/woocommerce-payments#3520: the customer's return and the webhook both complete a payment.
//!
//! *Mechanism:* the handler of the redirect begins to complete the order and has not written its status yet; the webhook reads that it is
//! pending and passes the guard: two mails, stock taken off twice. *Smallest configuration:* 2 handlers, one order, one stock record.
//! *Source:* <https://github.com/Automattic/woocommerce-payments/pull/3520>. *Violated:* an order is completed once. *Repair:* the
//! conditional transition from pending to processing is the gate.
//!
//! Translated from SQL: order, stock and the mails sent are documents.

use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{and, eq, inc, set};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P5";

async fn complete(ctx: Context, gated: bool) -> Ended {
    let (order, processing) = (by_id("order"), vec![set("status", "processing")]);
    let passes = match gated {
        true => change(&ctx, "shop", and([order.clone(), eq("status", "pending")]), processing.clone()).await?,
        false => read(&ctx, "shop", "order").await?.text("status") == "pending",
    };
    if !passes {
        ctx.mark("nothing to do");
        return Ok(());
    }
    change(&ctx, "shop", by_id("mails"), vec![inc("sent", 1)]).await?;
    change(&ctx, "shop", by_id("stock"), vec![inc("taken", 1)]).await?;
    if !gated {
        change(&ctx, "shop", order, processing).await?;
    }
    Ok(())
}

fn completed_once() -> Property {
    Property::at_rest("an order is completed once", "Automattic/woocommerce-payments#3520", |view| {
        let (mails, taken) =
            (see::one(view, "shop", "mails").int("sent"), see::one(view, "shop", "stock").int("taken"));
        see::kept((mails, taken) == (1, 1), || {
            format!("one order, {mails} mails sent, {taken} pieces taken from stock")
        })
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, gated| {
        let store = Documents::new()
            .with("shop", doc([("_id", "order".into()), ("status", "pending".into())]))
            .with("shop", doc([("_id", "mails".into()), ("sent", 0.into())]))
            .with("shop", doc([("_id", "stock".into()), ("taken", 0.into())]));
        scenario(name)
            .about("The customer comes back from the payment page while the provider's webhook arrives; both complete the order.")
            .source("https://github.com/Automattic/woocommerce-payments/pull/3520")
            .stores(documents(store))
            .client("redirect", move |ctx| complete(ctx, gated))
            .client("webhook", move |ctx| complete(ctx, gated))
            .properties([
                completed_once(),
                no_program_fails(),
                somebody_is(&["nothing to do"], "somebody comes second"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("CA-13 payment completed twice", false)
            .breaks("an order is completed once")
            .fixed_by("CA-13 payment completed twice, repaired"),
        world("CA-13 payment completed twice, repaired", true),
    ]
}
