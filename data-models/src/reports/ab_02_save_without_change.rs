//! AB-02, Automattic/mongoose#10128: saving an unchanged document rolls its version back.
//!
//! *Mechanism:* two clients read a price of 1 at version 0. The first sets the price to 2 and the version to 1. The second sets the price to
//! the 1 that it has, so nothing has changed; its save sends the version 0 alone, without a version predicate. *Smallest
//! configuration:* 2 clients, one document, one save that changes nothing. *Source:*
//! <https://github.com/Automattic/mongoose/issues/10128>. *Violated:* the version never decreases. *Repair:* an unmodified document
//! writes nothing.
//!
//! Translated: the library's `save` is a function of both programs. The document keeps the versions that it has had, for the judge.

use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{and, eq, set};
use overtake_recipes::{StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P12";

/// The library: saves what was changed of a document that was read; `false` when another has saved it meanwhile.
async fn save(ctx: &Context, read: &Value, price: i64, repaired: bool) -> Result<bool, StoreError> {
    let version = read.int("__v");
    let writes = |version: i64| vec![set("__v", version), push("versions", version)];
    if read.int("price") == price {
        return if repaired { Ok(true) } else { change(ctx, "items", by_id("i"), writes(version)).await };
    }
    let mut changes = writes(version + 1);
    changes.push(set("price", price));
    change(ctx, "items", and([by_id("i"), eq("__v", version)]), changes).await
}

async fn client(ctx: Context, price: i64, repaired: bool) -> Ended {
    let item = read(&ctx, "items", "i").await?;
    ctx.mark(if save(&ctx, &item, price, repaired).await? { "saved" } else { "refused" });
    Ok(())
}

fn the_version_never_decreases() -> Property {
    Property::always("the version never decreases", "Automattic/mongoose#10128", |view| {
        let item = see::one(view, "items", "i");
        let versions = see::numbers(&item, "versions");
        see::kept(versions.is_sorted(), || format!("the document had the versions {versions:?}"))
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, repaired| {
        let item = doc([("_id", "i".into()), ("price", 1.into()), ("__v", 0.into()), ("versions", vec![0i64].into())]);
        scenario(name)
            .about("One client changes the price; the other saves the price that it has read, and with it the version that it has read.")
            .source("https://github.com/Automattic/mongoose/issues/10128")
            .stores(documents(Documents::new().with("items", item)))
            .client("sets 2", move |ctx| client(ctx, 2, repaired))
            .client("sets 1", move |ctx| client(ctx, 1, repaired))
            .properties([
                the_version_never_decreases(),
                no_program_fails(),
                somebody_is(&["saved"], "somebody saves"),
                everybody_is_done(),
            ])
    };
    vec![
        world("AB-02 save without change", false)
            .breaks("the version never decreases")
            .fixed_by("AB-02 save without change, repaired"),
        world("AB-02 save without change, repaired", true),
    ]
}
