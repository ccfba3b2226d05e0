//! RM-05, duncanmcclean/statamic-cargo#190: the webhook fires before the order exists.
//!
//! *Mechanism:* a payment is confirmed, and the webhook finds no order; it is answered as if it were handled. Then the redirect makes the
//! order, pending. No other event ever comes. *Smallest configuration:* 2 handlers, one order, a queue. *Source:*
//! <https://github.com/duncanmcclean/statamic-cargo/issues/190>. *Violated:* of a confirmed payment the order is not pending for good.
//! *Repair:* after the order is made, the state of the payment is asked for. *Trap* (own analysis): to ask before it is made.

use overtake_recipes::store::documents::set;
use overtake_recipes::store::{DataEnvironment, Documents as _, Messages as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::{Documents, Messages, Stores};

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P11";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Asks {
    Never,
    Before,
    After,
}

async fn payments(ctx: Context) -> Ended {
    change(&ctx, "payments", by_id("payment"), vec![set("confirmed", true)]).await?;
    ctx.messages().send("webhooks", "confirmed".into(), 0).await
}

async fn is_confirmed(ctx: &Context) -> Result<bool, overtake_recipes::StoreError> {
    Ok(read(ctx, "payments", "payment").await?.at("confirmed") == Some(&true.into()))
}

/// The customer comes back from the payment page.
async fn redirect(ctx: Context, asks: Asks) -> Ended {
    let paid = asks == Asks::Before && is_confirmed(&ctx).await?;
    let order = doc([("_id", "order".into()), ("status", if paid { "paid" } else { "pending" }.into())]);
    ctx.documents().insert("orders", order).await?;
    if asks == Asks::After && is_confirmed(&ctx).await? {
        change(&ctx, "orders", by_id("order"), vec![set("status", "paid")]).await?;
    }
    Ok(())
}

async fn webhook(ctx: Context) -> Ended {
    let message = ctx.messages().receive("webhooks").await?;
    if !change(&ctx, "orders", by_id("order"), vec![set("status", "paid")]).await? {
        ctx.mark("finds no order");
    }
    ctx.messages().acknowledge("webhooks", &message).await.map(drop)
}

/// The faulty program, the trap, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, about: &str, asks| {
        let payment = doc([("_id", "payment".into()), ("confirmed", false.into())]);
        scenario(name)
            .about(about)
            .source("https://github.com/duncanmcclean/statamic-cargo/issues/190")
            .stores(Stores {
                documents: Some(Documents::new().with("payments", payment)),
                messages: Some(Messages::default()),
                ..Stores::default()
            })
            .client("payments", payments)
            .client("redirect", move |ctx| redirect(ctx, asks))
            .client("webhook", webhook)
            .properties([
                Property::at_rest("a paid order is not pending", "duncanmcclean/statamic-cargo#190", |view| {
                    let status = see::one(view, "orders", "order").text("status").to_owned();
                    see::kept(status == "paid", || format!("the payment is confirmed, and the order is {status}"))
                }),
                no_program_fails(),
                somebody_is(&["finds no order"], "the webhook finds no order"),
                everybody_is_done(),
            ])
    };
    let about = "The webhook of a payment may come before the redirect has made the order.";
    vec![
        world("RM-05 webhook before the order", about, Asks::Never)
            .breaks("a paid order is not pending")
            .fixed_by("RM-05 webhook before the order, repaired"),
        world(
            "RM-05 webhook before the order, trap: asked too early",
            "The redirect asks for the payment, and then makes the order; the payment may be confirmed between the two.",
            Asks::Before,
        )
        .breaks("a paid order is not pending")
        .fixed_by("RM-05 webhook before the order, repaired"),
        world("RM-05 webhook before the order, repaired", about, Asks::After),
    ]
}
