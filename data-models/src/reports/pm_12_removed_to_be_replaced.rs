//! PM-12, meteor/meteor#3290: a configuration is replaced by a remove and an insert.
//!
//! *Mechanism:* a writer deletes the configuration. A reader finds none, and goes where nothing is configured. The writer inserts the new one.
//! *Smallest configuration:* 2 clients, 1 key. *Source:* <https://github.com/meteor/meteor/pull/3290>. *Violated:* a reader never finds a
//! key absent that is only ever replaced. *Repair:* one call that replaces.

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P7";

async fn writer(ctx: Context, in_one: bool) -> Ended {
    match in_one {
        true => put(&ctx, "login service", "new secret").await?,
        false => {
            ctx.dht().del("login service").await?;
            ctx.dht().put("login service", "new secret".into(), Expiration::Never).await?;
        }
    }
    ctx.mark("configured");
    Ok(())
}

async fn reader(ctx: Context) -> Ended {
    match ctx.dht().get("login service").await? {
        Some(_) => ctx.mark("logs in"),
        None => ctx.mark("is told that nothing is configured"),
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, in_one| {
        scenario(name)
            .about(
                "At every start a server writes the configuration of a login service anew. Somebody logs in meanwhile.",
            )
            .source("https://github.com/meteor/meteor/pull/3290")
            .stores(Dht::seed(1).with("login service", "old secret").into())
            .client("writer", move |ctx| writer(ctx, in_one))
            .client("reader", reader)
            .properties([
                see::at_most(
                    0,
                    &["is told that nothing is configured"],
                    "a key that is only replaced is never absent",
                    "meteor/meteor#3290",
                ),
                no_program_fails(),
                somebody_is(&["configured"], "the configuration is replaced"),
                somebody_is(&["logs in"], "somebody logs in"),
                everybody_is_done(),
            ])
    };
    vec![
        world("PM-12 removed to be replaced", false)
            .breaks("a key that is only replaced is never absent")
            .fixed_by("PM-12 removed to be replaced, repaired"),
        world("PM-12 removed to be replaced, repaired", true),
    ]
}
