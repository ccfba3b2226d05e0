//! CA-09, JavaScriptSolidServer/JavaScriptSolidServer#600: a conditional write compares in one step and writes in another.
//!
//! *Mechanism:* two PUTs carry the same valid etag; the server compares it for both, then writes both bodies; both are told success.
//! *Smallest configuration:* 2 clients, one resource, a server that is not atomic. *Source:*
//! <https://github.com/JavaScriptSolidServer/JavaScriptSolidServer/issues/600>. *Violated:* of several conditional writes with one etag
//! at most one succeeds. *Repair:* the store compares inside the write.
//!
//! Translated: the server's handler of a PUT is a program of two calls to what it keeps its resources in, a document store.

use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{and, eq, set};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P24";

/// The server's handler: whether the precondition held.
async fn handle_put(ctx: &Context, etag: &str, body: &str, atomic: bool) -> Result<bool, StoreError> {
    let new = vec![set("etag", format!("etag of {body}")), set("body", body)];
    if atomic {
        return change(ctx, "resources", and([by_id("/card"), eq("etag", etag)]), new).await;
    }
    if read(ctx, "resources", "/card").await?.text("etag") != etag {
        return Ok(false);
    }
    change(ctx, "resources", by_id("/card"), new).await
}

async fn client(ctx: Context, atomic: bool) -> Ended {
    let me = ctx.unique_id();
    let etag = "etag of nothing";
    match handle_put(&ctx, etag, &me, atomic).await? {
        true => ctx.mark("succeeded"),
        false => ctx.mark("refused"),
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, atomic| {
        let card = doc([("_id", "/card".into()), ("etag", "etag of nothing".into()), ("body", "nothing".into())]);
        scenario(name)
            .about("Two writers send If-Match with the etag that both have read. The server compares for both before it writes for either.")
            .source("https://github.com/JavaScriptSolidServer/JavaScriptSolidServer/issues/600")
            .stores(documents(Documents::new().with("resources", card)))
            .clients(2, move |ctx| client(ctx, atomic))
            .properties([
                see::at_most(
                    1,
                    &["succeeded"],
                    "one success for an etag",
                    "JavaScriptSolidServer/JavaScriptSolidServer#600",
                ),
                no_program_fails(),
                somebody_is(&["succeeded"], "somebody succeeds"),
                somebody_is(&["refused"], "somebody is refused"),
                everybody_is_done(),
            ])
    };
    vec![
        world("CA-09 If-Match in two steps", false)
            .breaks("one success for an etag")
            .fixed_by("CA-09 If-Match in two steps, repaired"),
        world("CA-09 If-Match in two steps, repaired", true),
    ]
}
