//! DL-04, shopware/shopware#11716: a cart is locked by the very request that holds its lock.
//!
//! *Mechanism:* a request takes the lock of the cart. Removing one of its lines removes another, through a route that takes the lock as well.
//! The lock does not wait and does not know its holder: the request is refused. *Smallest configuration:* 1 client, 1 lock, a nested
//! call. *Source:* <https://github.com/shopware/shopware/issues/11716> (the report shows the refusal; the cause is inferred).
//! *Violated:* a request is never refused by a lock that it holds. *Repair:* lock once, at the border.

use overtake_recipes::store::documents::Change;
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_recipes::{Environment, StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::steps::*;
use crate::property::*;
use overtake_models::property::Property;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P23";

const BREAKS: &str = "nobody is refused by a lock of his own";

/// Takes the lock, if it is free.
async fn lock(ctx: &Context, request: &str) -> Result<bool, StoreError> {
    let record = doc([("_id", "cart".into()), ("request", request.into())]);
    match ctx.documents().insert("locks", record).await {
        Ok(_) => Ok(true),
        Err(StoreError::DuplicateKey) => {
            ctx.mark("refused");
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

async fn remove_line(ctx: &Context, line: &'static str) -> Ended {
    change(ctx, "carts", by_id("cart"), vec![Change::Pull("lines".into(), Value::from(line))]).await.map(drop)
}

async fn remove(ctx: Context, locks_once: bool) -> Ended {
    let me = ctx.unique_id();
    if !lock(&ctx, &me).await? {
        return Ok(());
    }
    ctx.mark("holds");
    remove_line(&ctx, "bread").await?;
    // The promotion goes with it, through the same route.
    if locks_once || lock(&ctx, &me).await? {
        remove_line(&ctx, "promotion").await?;
        ctx.mark("removed");
    }
    ctx.documents().delete_one("locks", by_id("cart")).await?;
    ctx.unmark("holds");
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, locks_once| {
        let cart = doc([("_id", "cart".into()), ("lines", vec!["bread", "promotion"].into())]);
        scenario(name)
            .about("A request removes a line of a cart, and the promotion that hangs on it.")
            .source("https://github.com/shopware/shopware/issues/11716")
            .stores(documents(Documents::new().with("carts", cart)))
            .client("request", move |ctx| remove(ctx, locks_once))
            .properties([
                Property::always(BREAKS, "shopware/shopware#11716", |view| {
                    let both = |c: &overtake_sim::world::ClientView<'_>| c.is_marked("holds") && c.is_marked("refused");
                    match view.clients().find(both) {
                        None => Ok(()),
                        Some(client) => Err(format!("{} holds the lock, and is refused by it", client.name())),
                    }
                }),
                somebody_holds(),
                everybody_is_done(),
            ])
    };
    let repaired = "DL-04 locked by itself, repaired";
    vec![world("DL-04 locked by itself", false).breaks(BREAKS).fixed_by(repaired), world(repaired, true)]
}
