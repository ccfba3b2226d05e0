//! LU-07, shopware/shopware#15501: a cart that was ordered is back.
//!
//! *Mechanism:* a request that only reads loads the cart. Another takes the lock, makes an order of the cart, deletes it, and gives the lock
//! back. The first has recomputed the cart and saves it, which makes it again; it can be ordered again. *Smallest configuration:* 2
//! clients, 1 cart, 1 order. *Source:* <https://github.com/shopware/shopware/pull/15501>. *Violated:* a cart that was turned into an
//! order never exists again. *Repair:* a cart that was loaded is only ever updated. *Trap:* not to write while the lock is held: the late
//! write comes when it is given back.

use overtake_recipes::StoreError;
use overtake_recipes::store::documents::Op;
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::property::Property;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P3";

const BREAKS: &str = "an ordered cart does not come back";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Save {
    Makes,
    UnlessLocked,
    Updates,
}

async fn look(ctx: Context, way: Save) -> Ended {
    let mut cart = read(&ctx, "carts", "cart").await?;
    if cart.at("total").is_none() {
        return Ok(());
    }
    cart.set("total", 11);
    if way == Save::UnlessLocked && read(&ctx, "locks", "cart").await?.at("_id").is_some() {
        return Ok(());
    }
    let save = Op::Replace(by_id("cart"), cart, way != Save::Updates);
    if ctx.documents().run("carts", save).await?.updated().matched > 0 {
        ctx.mark("recomputed");
    }
    Ok(())
}

async fn order(ctx: Context) -> Ended {
    let store = ctx.documents();
    match store.insert("locks", doc([("_id", "cart".into())])).await {
        Err(StoreError::DuplicateKey) => return Ok(()),
        locked => drop(locked?),
    }
    let cart = read(&ctx, "carts", "cart").await?;
    store.insert("orders", doc([("cart", "cart".into()), ("total", cart.int("total").into())])).await?;
    store.delete_one("carts", by_id("cart")).await?;
    store.delete_one("locks", by_id("cart")).await?;
    ctx.mark("ordered");
    Ok(())
}

/// The faulty program, the repaired one, its trap.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, way| {
        scenario(name)
            .about("A page that shows the cart recomputes and saves it, while the cart is turned into an order.")
            .source("https://github.com/shopware/shopware/pull/15501")
            .stores(documents(Documents::new().with("carts", doc([("_id", "cart".into()), ("total", 10.into())]))))
            .client("looks", move |ctx| look(ctx, way))
            .client("orders", order)
            .properties([
                Property::always(BREAKS, "shopware/shopware#15501", |view| {
                    let back = see::marked(view, "ordered") > 0 && !see::all(view, "carts").is_empty();
                    see::kept(!back, || "the cart was ordered, and is there again".into())
                }),
                somebody_is(&["recomputed"], "a cart is recomputed"),
                somebody_is(&["ordered"], "a cart is ordered"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    let repaired = "LU-07 ordered cart is back, repaired";
    vec![
        world("LU-07 ordered cart is back", Save::Makes).breaks(BREAKS).fixed_by(repaired),
        world(repaired, Save::Updates),
        world("LU-07 ordered cart is back, trap: no write while locked", Save::UnlessLocked)
            .breaks(BREAKS)
            .fixed_by(repaired),
    ]
}
