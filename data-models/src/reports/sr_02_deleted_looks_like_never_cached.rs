//! SR-02, Shopify/identity_cache#154: a deleted key looks as it did before the first miss.
//!
//! *Mechanism:* C1 misses and selects version 1; C2 writes version 2 and deletes the cache's key, which does nothing; C1 sets version 1.
//! *Smallest configuration:* 2 clients, two keys. *Source:* <https://github.com/Shopify/identity_cache/pull/154>. *Violated:* while no
//! write is going on, the cache has nothing or what the store has. *Repair:* a third state, "deleted", and add or compare-and-set instead
//! of set. *Trap:* a marker "deleted" that is evicted brings the hole back. A lease of the filler's own does not: what is evicted
//! there is the right to fill.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration, Updated};
use overtake_sim::program::Context;

use super::cache::*;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P8";

#[derive(Clone, Copy, Debug)]
enum Way {
    Set,
    Marker,
    Lease,
}

/// Fills the cache after a miss: whether it was done.
async fn fill(ctx: &Context, way: Way) -> Result<bool, StoreError> {
    if let Way::Lease = way {
        let version = lease(ctx).await?;
        let value = load(ctx).await?;
        let Some(version) = version else { return Ok(false) };
        return Ok(ctx.dht().update(KEY, value.into(), version).await? == Updated::Stored);
    }
    let marker = ctx.dht().get(KEY).await?;
    let value = load(ctx).await?.into();
    match (way, marker) {
        (Way::Set, _) => put(ctx, KEY, value).await.map(|()| true),
        (_, None) => ctx.dht().put(KEY, value, Expiration::Never).await,
        (_, Some(marker)) => Ok(ctx.dht().update(KEY, value, marker.version).await? == Updated::Stored),
    }
}

async fn reader(ctx: Context, way: Way) -> Ended {
    if cached(&ctx).await?.is_none() {
        ctx.mark(if fill(&ctx, way).await? { "filled" } else { "does not fill" });
    }
    Ok(())
}

async fn writer(ctx: Context, way: Way) -> Ended {
    in_flight(&ctx, async {
        store_two(&ctx).await?;
        match way {
            Way::Marker => put(&ctx, KEY, "deleted").await,
            Way::Set | Way::Lease => ctx.dht().del(KEY).await.map(drop),
        }
    })
    .await
}

/// The faulty program, the repaired one, its trap, and one that keeps both.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, about: &str, way| {
        scenario(name)
            .about(about)
            .source("https://github.com/Shopify/identity_cache/pull/154")
            .stores(stores())
            .client("reader", move |ctx| reader(ctx, way))
            .client("writer", move |ctx| writer(ctx, way))
            .properties([
                cache_is_absent_or_equal("Shopify/identity_cache#154"),
                no_program_fails(),
                somebody_is(&["filled"], "somebody fills the cache"),
                everybody_is_done(),
            ])
    };
    let refused = || somebody_is(&["does not fill"], "somebody does not fill");
    vec![
        world(
            "SR-02 deleted looks like never cached",
            "A reader fills the cache with what it has read before a writer has deleted the key, which was not there.",
            Way::Set,
        )
        .breaks("the cache has nothing or what the store has")
        .fixed_by("SR-02 deleted looks like never cached, repaired"),
        world(
            "SR-02 deleted looks like never cached, repaired",
            "A writer leaves a marker, and a reader adds only to nothing.",
            Way::Marker,
        )
        .property(refused()),
        world(
            "SR-02 deleted looks like never cached, trap: an evicted marker",
            "The writer's marker is evicted, and a reader adds to nothing.",
            Way::Marker,
        )
        .evictions(1)
        .property(refused())
        .breaks("the cache has nothing or what the store has")
        .fixed_by("SR-02 deleted looks like never cached, repaired by a lease"),
        world(
            "SR-02 deleted looks like never cached, repaired by a lease",
            "A reader that misses puts a lease in the key's place and updates that. When it is evicted or deleted, it does not fill.",
            Way::Lease,
        )
        .evictions(1)
        .property(refused()),
    ]
}
