//! PM-07, pravega/pravega#5456: after a failed clean-up every retry meets a version mismatch.
//!
//! *Mechanism:* a deletion first marks the key as deleted, which changes its version. The second step, the removal, fails, and the caller is told
//! that the whole has failed. It tries again with the same version: mismatch, for ever. *Smallest configuration:* 1 client, 1 key, a fault in
//! the second step. *Source:* <https://github.com/pravega/pravega/issues/5456>. *Violated:* after a reported failure a retry with the same
//! inputs can succeed. *Repair:* what is marked is deleted; the removal is clean-up.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht as _, Updated, Version};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P7";

/// What the caller is told.
enum Deleted {
    Done,
    Failed,
    Mismatch,
}

async fn delete(ctx: &Context, version: Version, marked_is_deleted: bool) -> Result<Deleted, StoreError> {
    let dht = ctx.dht();
    match dht.update("metadata", "deleted".into(), version).await? {
        Updated::Stored => {}
        Updated::Moved => return Ok(Deleted::Mismatch),
        Updated::Absent => return Ok(Deleted::Done),
    }
    ctx.mark("removes");
    let removed = dht.del("metadata").await;
    ctx.unmark("removes");
    match removed {
        Err(StoreError::Unknown) if !marked_is_deleted => Ok(Deleted::Failed),
        Err(StoreError::Unknown) | Ok(_) => Ok(Deleted::Done),
        Err(error) => Err(error),
    }
}

/// Deletes with the version that it knows, and tries once more after a failure.
async fn caller(ctx: Context, marked_is_deleted: bool) -> Ended {
    let version = get(&ctx, "metadata").await?.version;
    let mut told = delete(&ctx, version, marked_is_deleted).await?;
    if let Deleted::Failed = told {
        ctx.mark("tries again");
        told = delete(&ctx, version, marked_is_deleted).await?;
    }
    match told {
        Deleted::Done => ctx.mark("deleted"),
        Deleted::Failed => {}
        Deleted::Mismatch => ctx.mark("is refused on its retry"),
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, marked_is_deleted| {
        scenario(name)
            .about("A deletion in two steps: mark, remove. The answer to the removal does not come, or the removal is lost.")
            .source("https://github.com/pravega/pravega/issues/5456")
            .stores(Dht::seed(1).with("metadata", "live").into())
            .client("caller", move |ctx| caller(ctx, marked_is_deleted))
            .hit_while("removes")
            .timeouts(1)
            .properties([
                see::at_most(
                    0,
                    &["is refused on its retry"],
                    "a retry after a reported failure can succeed",
                    "pravega/pravega#5456",
                ),
                no_program_fails(),
                somebody_is(&["deleted"], "the deletion succeeds"),
                Property::sometimes("the removal gets no answer", |view| view.budget().timeouts == 0),
                everybody_is_done(),
            ])
    };
    vec![
        world("PM-07 failed clean-up fails the retry", false)
            .breaks("a retry after a reported failure can succeed")
            .fixed_by("PM-07 failed clean-up fails the retry, repaired"),
        world("PM-07 failed clean-up fails the retry, repaired", true),
    ]
}
