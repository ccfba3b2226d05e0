//! DI-01, BeanieODM/beanie#1350: upserts of the same key at the same time make duplicates.
//!
//! *Mechanism:* both update where the key matches: nothing does. Both insert, both are acknowledged. *Smallest configuration:* 2 clients,
//! 1 logical key. *Source:* <https://github.com/BeanieODM/beanie/issues/1350>. *Violated:* at most one document a key. *Repair:* a unique
//! index, and after a duplicate-key error the update again. *Traps:* the database's own upsert without a unique index; catching the
//! duplicate-key error without one, which is code that never runs.

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

const BREAKS: &str = "one document a key";

#[derive(Clone, Copy, Debug)]
enum Way {
    UpdateThenInsert,
    Recovers,
    Upsert,
}

async fn upsert(ctx: Context, way: Way) -> Ended {
    let (store, count) = (ctx.documents(), vec![inc("count", 1)]);
    if let Way::Upsert = way {
        return store.upsert_one("docs", eq("key", "k"), count).await.map(drop);
    }
    loop {
        ctx.checkpoint("update", &[]);
        if change(&ctx, "docs", eq("key", "k"), count.clone()).await? {
            return Ok(());
        }
        match store.insert("docs", doc([("key", "k".into()), ("count", 1.into())])).await {
            Err(StoreError::DuplicateKey) if matches!(way, Way::Recovers) => ctx.mark("clashed"),
            inserted => return inserted.map(drop),
        }
    }
}

/// The faulty program, the repaired one, its traps.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, way, unique| {
        let store = if unique { Documents::new().unique("docs", &["key"]) } else { Documents::new() };
        scenario(name)
            .about("Two clients count under one key that is not there yet: each updates, and inserts when nothing matches.")
            .source("https://github.com/BeanieODM/beanie/issues/1350")
            .stores(documents(store))
            .clients(2, move |ctx| upsert(ctx, way))
            .properties([
                no_duplicates(BREAKS, "BeanieODM/beanie#1350", "docs", &["key"]),
                no_program_fails(),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    let repaired = "DI-01 upserts at once, repaired";
    let breaks = |scenario: Scenario| scenario.breaks(BREAKS).fixed_by(repaired);
    vec![
        breaks(world("DI-01 upserts at once", Way::UpdateThenInsert, false)),
        world(repaired, Way::Recovers, true).property(somebody_is(&["clashed"], "an insert clashes")),
        breaks(world("DI-01 upserts at once, trap: the store's upsert without an index", Way::Upsert, false)),
        breaks(world("DI-01 upserts at once, trap: recovery without an index", Way::Recovers, false)),
    ]
}
