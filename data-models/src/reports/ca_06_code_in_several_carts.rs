//! CA-06, shopware/shopware#11245: a one-time code lies in several carts, which are submitted in one burst.
//!
//! *Mechanism:* each cart validates the code when it is entered, and again when the cart is submitted; that it is consumed is another
//! step of each checkout. *Smallest configuration:* 2 sessions, one code. *Source:*
//! <https://github.com/shopware/shopware/issues/11245>. *Violated:* redemptions are at most the limit. *Repair:* a slot is reserved
//! atomically when the order is placed.
//!
//! Translated from SQL: code and orders are documents; a cart is the state of its session's program.

use overtake_recipes::StoreError;
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

/// How often the code may be redeemed.
const LIMIT: i64 = 1;

async fn is_valid(ctx: &Context) -> Result<bool, StoreError> {
    Ok(read(ctx, "codes", "ONCE").await?.int("redeemed") < LIMIT)
}

async fn session(ctx: Context, reserves: bool) -> Ended {
    if !is_valid(&ctx).await? {
        ctx.mark("refused");
        return Ok(());
    }
    ctx.work("the rest of the form").await;
    let redeems = match reserves {
        true => {
            let free = and([by_id("ONCE"), less("redeemed", LIMIT)]);
            change(&ctx, "codes", free, vec![inc("redeemed", 1)]).await?
        }
        false => is_valid(&ctx).await?,
    };
    if !redeems {
        ctx.mark("refused");
        return Ok(());
    }
    ctx.documents().insert("orders", doc([("code", "ONCE".into())])).await?;
    if !reserves {
        change(&ctx, "codes", by_id("ONCE"), vec![inc("redeemed", 1)]).await?;
    }
    ctx.mark("redeemed");
    Ok(())
}

fn redeemed_within_the_limit() -> Property {
    Property::always("redemptions are within the limit", "shopware/shopware#11245", |view| {
        let orders = see::all(view, "orders").len() as i64;
        see::kept(orders <= LIMIT, || format!("the code was redeemed {orders} times, {LIMIT} may"))
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, reserves| {
        let code = doc([("_id", "ONCE".into()), ("redeemed", 0.into())]);
        scenario(name)
            .about("Two carts hold a code that may be used once. Both are validated on submission before either has consumed it.")
            .source("https://github.com/shopware/shopware/issues/11245")
            .stores(documents(Documents::new().with("codes", code)))
            .clients(2, move |ctx| session(ctx, reserves))
            .properties([
                redeemed_within_the_limit(),
                no_program_fails(),
                somebody_is(&["redeemed"], "somebody redeems it"),
                somebody_is(&["refused"], "somebody is refused"),
                everybody_is_done(),
            ])
    };
    vec![
        world("CA-06 code in several carts", false)
            .breaks("redemptions are within the limit")
            .fixed_by("CA-06 code in several carts, repaired"),
        world("CA-06 code in several carts, repaired", true),
    ]
}
