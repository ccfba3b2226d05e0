//! RW-03, magnusvk/counter_culture#136: a cart's total is written beside its version.
//!
//! *Mechanism:* a library that keeps counters adds a new line's price to the cart's total directly; the cart's version stays. A client that
//! has read the cart before saves all of it, with the old total: the check of the version passes. *Smallest configuration:* 2
//! clients, one cart, its lines. *Source:* <https://github.com/magnusvk/counter_culture/issues/136>. *Violated:* the total is the sum of
//! the lines, and the version changes whenever the total does. *Repair:* the direct write counts the version up.
//!
//! The two halves of what is violated are a property each, so the faulty program stands here twice: the second shows before anybody saves.
//! Translated from SQL: cart and lines are documents.

use overtake_recipes::store::documents::{and, eq, inc};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P19";

/// The version with which the cart begins.
const READ: i64 = 3;

async fn save_address(ctx: Context) -> Ended {
    loop {
        let mut cart = read(&ctx, "carts", "cart").await?;
        let version = cart.int("version");
        cart.set("address", "new");
        cart.set("version", version + 1);
        let same = and([by_id("cart"), eq("version", version)]);
        if ctx.documents().replace_one("carts", same, cart).await?.matched > 0 {
            return Ok(());
        }
        ctx.mark("reads again");
    }
}

async fn add_line(ctx: Context, counts: bool) -> Ended {
    ctx.documents().insert("lines", doc([("price", 7.into())])).await?;
    let mut changes = vec![inc("total", 7)];
    if counts {
        changes.push(inc("version", 1));
    }
    change(&ctx, "carts", by_id("cart"), changes).await?;
    ctx.mark("added");
    Ok(())
}

fn the_total_is_the_sum() -> Property {
    Property::at_rest("the total is the sum of the lines", "magnusvk/counter_culture#136", |view| {
        let (total, sum) = (see::one(view, "carts", "cart").int("total"), see::sum(&see::all(view, "lines"), "price"));
        see::kept(total == sum, || format!("the cart's total is {total}, and its lines come to {sum}"))
    })
}

/// Each change has raised the version: that of the total, and that of the address.
fn the_version_changes_with_the_total() -> Property {
    Property::always("the version changes whenever the total does", "magnusvk/counter_culture#136", |view| {
        let cart = see::one(view, "carts", "cart");
        let (total, version) = (cart.int("total"), cart.int("version"));
        let changes = i64::from(total != 0) + i64::from(cart.text("address") == "new");
        see::kept(version - READ >= changes, || {
            format!("the total has become {total}, and the version is {version} as before")
        })
    })
}

/// The faulty program, once for each half of the property, and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, counts| {
        let cart =
            doc([("_id", "cart".into()), ("address", "old".into()), ("total", 0.into()), ("version", READ.into())]);
        scenario(name)
            .about("A cart is saved with the total that it had when it was read; a line's price has been added to it since.")
            .source("https://github.com/magnusvk/counter_culture/issues/136")
            .stores(documents(Documents::new().with("carts", cart)))
            .client("address", save_address)
            .client("line", move |ctx| add_line(ctx, counts))
            .properties([
                no_program_fails(),
                somebody_is(&["added"], "somebody adds a line"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    let repaired = "RW-03 total beside the version, repaired";
    vec![
        world("RW-03 total beside the version", false)
            .property(the_total_is_the_sum())
            .breaks("the total is the sum of the lines")
            .fixed_by(repaired),
        world("RW-03 total beside the version, the version looked at", false)
            .property(the_version_changes_with_the_total())
            .breaks("the version changes whenever the total does")
            .fixed_by(repaired),
        world(repaired, true).properties([
            the_total_is_the_sum(),
            the_version_changes_with_the_total(),
            somebody_is(&["reads again"], "somebody reads again"),
        ]),
    ]
}
