//! DA-09, palantir/atlasdb#2988: a lock is taken by a compare-and-set that timed out, and nobody knows.
//!
//! *Mechanism:* the compare-and-set from free to C1 is applied, its answer is lost; C1 believes that it has no lock and does not release it.
//! *Smallest configuration:* 1 client, one key, one lost answer. *Source:* <https://github.com/palantir/atlasdb/issues/2988>,
//! <https://github.com/paradoxical-io/cassieq/issues/38>. *Violated:* the holder of a lock knows it. *Repair:* an id on every
//! compare-and-set; after a timeout a read at serial level, and the id is compared. *Trap:* an ordinary read: the call may still be on
//! its way, and is applied after the read.
//!
//! Translated from Cassandra: the lock is a document with holder and ballot. A read at serial level brings what is on its way to an end: here
//! it is an empty compare-and-set that takes the ballot, so that the one on its way no longer fits.

use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{and, eq, inc, set};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P15";

#[derive(Clone, Copy, Debug)]
enum Way {
    GivesUp,
    OrdinaryRead,
    SerialRead,
}

/// The compare-and-set at a ballot: whether it was applied.
async fn take(ctx: &Context, me: &str, ballot: i64) -> Result<bool, StoreError> {
    let free = and([by_id("lock"), eq("holder", "free"), eq("ballot", ballot)]);
    change(ctx, "locks", free, vec![set("holder", me), inc("ballot", 1)]).await
}

async fn holder(ctx: &Context) -> Result<String, StoreError> {
    Ok(insist(|| read(ctx, "locks", "lock")).await?.text("holder").to_owned())
}

async fn acquire(ctx: &Context, me: &str, way: Way) -> Result<bool, StoreError> {
    let lock = insist(|| read(ctx, "locks", "lock")).await?;
    match (take(ctx, me, lock.int("ballot")).await, way) {
        (Err(StoreError::Unknown), Way::GivesUp) => Ok(false),
        (Err(StoreError::Unknown), Way::OrdinaryRead) => Ok(holder(ctx).await? == me),
        (Err(StoreError::Unknown), Way::SerialRead) => {
            let same = || and([by_id("lock"), eq("ballot", lock.int("ballot"))]);
            insist(|| change(ctx, "locks", same(), vec![inc("ballot", 1)])).await?;
            let own = holder(ctx).await? == me;
            ctx.mark(if own { "found itself the holder" } else { "found itself without" });
            Ok(own)
        }
        (result, _) => result,
    }
}

async fn client(ctx: Context, way: Way) -> Ended {
    let me = ctx.unique_id();
    if !acquire(&ctx, &me, way).await? {
        ctx.mark("has no lock");
        return Ok(());
    }
    ctx.mark_with("holds", &me);
    ctx.work("work").await;
    let mine = || and([by_id("lock"), eq("holder", &me)]);
    insist(|| change(&ctx, "locks", mine(), vec![set("holder", "free"), inc("ballot", 1)])).await?;
    ctx.unmark("holds");
    Ok(())
}

fn the_holder_knows() -> Property {
    Property::at_rest("the holder of a lock knows it", "palantir/atlasdb#2988", |view| {
        let holder = see::one(view, "locks", "lock").text("holder").to_owned();
        let known = see::who(view, "holds").any(|client| see::shown(&client, "holds").as_ref() == Some(&holder));
        see::kept(holder == "free" || known, || "the lock is taken, and its holder does not know it".into())
    })
}

/// The faulty program, the trap, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, about: &str, way| {
        let lock = doc([("_id", "lock".into()), ("holder", "free".into()), ("ballot", 0.into())]);
        scenario(name)
            .about(about)
            .source("https://github.com/palantir/atlasdb/issues/2988")
            .stores(documents(Documents::new().with("locks", lock)))
            .client("client", move |ctx| client(ctx, way))
            .timeouts(1)
            .properties([
                the_holder_knows(),
                no_program_fails(),
                somebody_holds(),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world(
            "DA-09 lock taken unknowingly",
            "The answer to a compare-and-set that has taken the lock is lost; the client believes that it has none.",
            Way::GivesUp,
        )
        .breaks("the holder of a lock knows it")
        .fixed_by("DA-09 lock taken unknowingly, repaired"),
        world(
            "DA-09 lock taken unknowingly, trap: an ordinary read",
            "The client gets no answer and reads that the lock is free. Then its compare-and-set arrives.",
            Way::OrdinaryRead,
        )
        .breaks("the holder of a lock knows it")
        .fixed_by("DA-09 lock taken unknowingly, repaired"),
        world(
            "DA-09 lock taken unknowingly, repaired",
            "The client gets no answer. It takes the ballot, so that nothing of its own is on its way any more, and reads.",
            Way::SerialRead,
        )
        .properties([
            somebody_is(&["found itself the holder"], "somebody finds that it has the lock"),
            somebody_is(&["found itself without"], "somebody finds that it has none"),
        ]),
    ]
}
