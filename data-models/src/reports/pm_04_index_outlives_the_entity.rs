//! PM-04, spring-projects/spring-data-redis#1299 (and #3255): the index names an entity that has expired.
//!
//! *Mechanism:* an entity is stored with a time to live, its id is added to an index without one. The entity expires. The notification of that is
//! lost, since nobody listens. The index names what is not there, for ever. *Smallest configuration:* 1 client, 2 keys, one expiry.
//! *Source:* <https://github.com/spring-projects/spring-data-redis/issues/1299>,
//! <https://github.com/spring-projects/spring-data-redis/issues/3255>. *Violated:* every id in the index has a live entity, or is taken out by
//! the next read. *Repair:* readers repair.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht as _};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_data_recipes::group;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P20";

/// Finds the entities by the index.
async fn reader(ctx: Context, repairs: bool) -> Ended {
    let ids = group::keys(&ctx.dht(), "index").await?.map_or(Vec::new(), |(ids, _)| ids);
    for id in ids {
        if ctx.dht().get(&id).await?.is_some() {
            ctx.mark("found it");
        } else {
            ctx.mark("found it dead");
            if repairs {
                group::remove(&ctx, "index", &id, 2).await.map_err(|_| StoreError::WriteConflict)?;
            }
        }
    }
    Ok(())
}

fn what_was_found_dead_is_out() -> Property {
    Property::at_rest("an id is dead in the index until the next read at most", "spring-data-redis#1299", |view| {
        let named = keys_of(view, "index").iter().any(|id| id == "person");
        see::kept(!(named && see::marked(view, "found it dead") > 0), || {
            "the person has expired, a reader has found that, and the index still names it".into()
        })
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, repairs| {
        scenario(name)
            .about("An entity expires; the index that names it does not, and nobody listens to notifications.")
            .source("https://github.com/spring-projects/spring-data-redis/issues/1299")
            .stores(Dht::seed(1).with_expiring("person", "Ada").with("index", vec!["person"]).into())
            .client("reader", move |ctx| reader(ctx, repairs))
            .key_expiries(1)
            .properties([
                what_was_found_dead_is_out(),
                no_program_fails(),
                somebody_is(&["found it dead"], "a reader finds that it has expired"),
                somebody_is(&["found it"], "a reader finds it"),
                everybody_is_done(),
            ])
    };
    vec![
        world("PM-04 index outlives the entity", false)
            .breaks("an id is dead in the index until the next read at most")
            .fixed_by("PM-04 index outlives the entity, repaired"),
        world("PM-04 index outlives the entity, repaired", true),
    ]
}
