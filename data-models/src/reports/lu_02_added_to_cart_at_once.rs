//! LU-02, shopware/shopware#8724: adding to a cart at the same time.
//!
//! *Mechanism:* a cart is one serialised value. Two requests load it, each adds its item and saves it: one of the items is gone.
//! *Smallest configuration:* 2 clients, 1 key. *Source:* <https://github.com/shopware/shopware/issues/8724>. *Violated:* every
//! acknowledged addition is in the cart. *Repair:* a lock on the cart, taken before it is loaded. *Traps:* the lock taken for saving
//! only; a lock that each server has for itself.

use overtake_recipes::Environment;
use overtake_recipes::store::documents::set;
use overtake_recipes::store::{Isolation, Value, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P1";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lock {
    None,
    BeforeLoading,
    BeforeSaving,
    OfTheServer,
}

/// `server` is where the request runs: each has a lock of its own.
async fn add(ctx: Context, lock: Lock, server: &'static str) -> Ended {
    let me = ctx.unique_id();
    let request = Transaction::begin(&ctx, Isolation::ReadCommitted).await?;
    match lock {
        Lock::BeforeLoading => drop(request.lock("locks", "cart").await?),
        Lock::OfTheServer => drop(request.lock("locks", server).await?),
        Lock::None | Lock::BeforeSaving => {}
    }
    // The lock is a row; the cart itself is read and written outside, as the store of another service.
    let cart = read(&ctx, "carts", "cart").await?;
    let items = with(cart.at("items").unwrap_or(&Value::Null), &me);
    if lock == Lock::BeforeSaving {
        request.lock("locks", "cart").await?;
    }
    change(&ctx, "carts", by_id("cart"), vec![set("items", items)]).await?;
    request.commit().await?;
    ctx.mark_with("added", &me);
    Ok(())
}

/// The faulty program, the repaired one, its traps.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, lock| {
        let row = |id: &'static str| doc([("_id", id.into())]);
        let cart = doc([("_id", "cart".into()), ("items", Value::List(Vec::new()))]);
        let store = Documents::new().with("carts", cart).with("locks", row("cart"));
        scenario(name)
            .about("Two requests add an item each to one cart: both load it, add, and save it as a whole.")
            .source("https://github.com/shopware/shopware/issues/8724")
            .stores(documents(store.with("locks", row("server-1")).with("locks", row("server-2"))))
            .client("first", move |ctx| add(ctx, lock, "server-1"))
            .client("second", move |ctx| add(ctx, lock, "server-2"))
            .properties([
                see::what_was_added_is_there("shopware/shopware#8724", |view| {
                    see::one(view, "carts", "cart").at("items").cloned().unwrap_or_default()
                }),
                no_program_fails(),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    let repaired = "LU-02 added to a cart at once, repaired";
    let breaks = |scenario: Scenario| scenario.breaks("what was added is there").fixed_by(repaired);
    vec![
        breaks(world("LU-02 added to a cart at once", Lock::None)),
        world(repaired, Lock::BeforeLoading),
        breaks(world("LU-02 added to a cart at once, trap: a lock for saving only", Lock::BeforeSaving)),
        breaks(world("LU-02 added to a cart at once, trap: a lock of each server", Lock::OfTheServer)),
    ]
}
