//! CA-04, Azuriom/Plugin-Shop#285: two checkouts spend one gift card.
//!
//! *Mechanism:* both read a balance above zero, both attach a discount of 10 to a payment, both take 10 off: the balance is -10.
//! *Smallest configuration:* 2 clients, one card, two payments. *Source:* <https://github.com/Azuriom/Plugin-Shop/issues/285>.
//! *Violated:* the discounts that a card has given are at most its first value. *Repair:* the balance is taken off under the
//! condition that it suffices, and the discount is given only if a row was changed.
//!
//! Translated from SQL: card and payments are documents.

use overtake_recipes::store::documents::{and, inc};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P5";

const VALUE: i64 = 10;

async fn pay(ctx: Context, guarded: bool) -> Ended {
    let balance = read(&ctx, "cards", "gift").await?.int("balance");
    let amount = balance.min(VALUE);
    let mut discounted = amount > 0;
    if guarded && discounted {
        let covered = and([by_id("gift"), at_least("balance", amount)]);
        discounted = change(&ctx, "cards", covered, vec![inc("balance", -amount)]).await?;
    }
    let discount = if discounted { amount } else { 0 };
    ctx.documents().insert("payments", doc([("discount", discount.into())])).await?;
    if !guarded && discounted {
        change(&ctx, "cards", by_id("gift"), vec![inc("balance", -amount)]).await?;
    }
    ctx.mark(if discounted { "discounted" } else { "pays in full" });
    Ok(())
}

fn discounts_within_the_value() -> Property {
    Property::always("discounts are within the card's value", "Azuriom/Plugin-Shop#285", |view| {
        let discounts = see::sum(&see::all(view, "payments"), "discount");
        see::kept(discounts <= VALUE, || format!("a card of {VALUE} has given discounts of {discounts}"))
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, guarded| {
        let card = doc([("_id", "gift".into()), ("balance", VALUE.into())]);
        scenario(name)
            .about("Two checkouts see the full balance of a gift card, and both give a discount for all of it.")
            .source("https://github.com/Azuriom/Plugin-Shop/issues/285")
            .stores(documents(Documents::new().with("cards", card)))
            .clients(2, move |ctx| pay(ctx, guarded))
            .properties([
                discounts_within_the_value(),
                no_program_fails(),
                somebody_is(&["discounted"], "somebody gets the discount"),
                somebody_is(&["pays in full"], "somebody pays in full"),
                everybody_is_done(),
            ])
    };
    vec![
        world("CA-04 gift card spent twice", false)
            .breaks("discounts are within the card's value")
            .fixed_by("CA-04 gift card spent twice, repaired"),
        world("CA-04 gift card spent twice, repaired", true),
    ]
}
