//! DI-06, Particular/NServiceBus#4150: a persister lets two sagas of one correlation value in.
//!
//! *Mechanism:* two messages look the saga up by its correlation value and find none. Both store a new one under an id of their own; only
//! the id is unique. *Smallest configuration:* 2 messages, 1 correlation value. *Source:*
//! <https://github.com/Particular/NServiceBus/issues/4150>. *Violated:* at most one living saga a correlation value. *Repair:* the
//! store keeps the correlation value unique, and who is refused looks again.

use overtake_recipes::store::documents::{eq, inc};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P4";

const BREAKS: &str = "one saga a correlation value";

async fn handle(ctx: Context) -> Ended {
    let (store, id) = (ctx.documents(), ctx.unique_id());
    loop {
        ctx.checkpoint("look", &[&id]);
        if store.find_one("sagas", eq("order", "o")).await?.is_some() {
            change(&ctx, "sagas", eq("order", "o"), vec![inc("messages", 1)]).await?;
            ctx.mark("joined");
            return Ok(());
        }
        let saga = doc([("_id", (&id).into()), ("order", "o".into()), ("messages", 1.into())]);
        match store.insert("sagas", saga).await {
            Err(StoreError::DuplicateKey) => {}
            stored => return stored.map(drop),
        }
    }
}

/// The faulty store and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, unique| {
        let store = if unique { Documents::new().unique("sagas", &["order"]) } else { Documents::new() };
        scenario(name)
            .about("Two messages of one order arrive, and there is no saga for it yet.")
            .source("https://github.com/Particular/NServiceBus/issues/4150")
            .stores(documents(store))
            .clients(2, handle)
            .properties([
                no_duplicates(BREAKS, "Particular/NServiceBus#4150", "sagas", &["order"]),
                somebody_is(&["joined"], "a message joins the saga of the other"),
                no_program_fails(),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("DI-06 sagas of one value", false).breaks(BREAKS).fixed_by("DI-06 sagas of one value, repaired"),
        world("DI-06 sagas of one value, repaired", true),
    ]
}
