//! WS-03, berkeleydb/libdb#136: a write that begins during another's commit is not seen as a conflict.
//!
//! *Mechanism:* alice or bob must be on call. T1 and T2 read both. T1 takes alice off and begins its commit; T2 takes bob off while that
//! commit is going on, misses the marker of the conflict, and commits as well. *Smallest configuration:* 2 transactions, two records, a
//! commit of two steps. *Source:* <https://github.com/berkeleydb/libdb/issues/136>. *Violated:* what is committed could have been done one
//! after the other; here: what every serial order keeps, that somebody is on call. *Repair:* a conflict is registered in the same step
//! as the commit.
//!
//! Translated: the store's own commit is a program of two calls. It looks whether what was read has changed, and then writes.
//! The repaired store is the document store's serialisable transaction.

use overtake_recipes::StoreError;
use overtake_recipes::store::documents::{inc, set};
use overtake_recipes::store::{Isolation, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P6";

/// Whether both are on call, and the change was committed.
async fn in_two_steps(ctx: &Context, me: &'static str, other: &'static str) -> Result<bool, StoreError> {
    let (mine, theirs) = (read(ctx, "calls", me).await?, read(ctx, "calls", other).await?);
    if mine.int("on") + theirs.int("on") < 2 {
        return Ok(false);
    }
    // The commit: first it looks for conflicts …
    if read(ctx, "calls", other).await?.int("changes") != theirs.int("changes") {
        return Ok(false);
    }
    // … and then it writes.
    change(ctx, "calls", by_id(me), vec![set("on", 0), inc("changes", 1)]).await
}

async fn in_one_step(ctx: &Context, me: &'static str, other: &'static str) -> Result<bool, StoreError> {
    let transaction = Transaction::begin(ctx, Isolation::Serialisable).await?;
    let (mine, theirs) = (transaction.read("calls", me).await?, transaction.read("calls", other).await?);
    if mine.int("on") + theirs.int("on") < 2 {
        transaction.abort().await?;
        return Ok(false);
    }
    transaction.change("calls", by_id(me), vec![set("on", 0), inc("changes", 1)]).await?;
    transaction.commit().await?;
    Ok(true)
}

async fn leave(ctx: Context, atomic: bool, me: &'static str, other: &'static str) -> Ended {
    let left = match atomic {
        true => in_one_step(&ctx, me, other).await,
        false => in_two_steps(&ctx, me, other).await,
    };
    match left {
        Ok(true) => ctx.mark("left"),
        Ok(false) | Err(StoreError::WriteConflict) => ctx.mark("stays"),
        Err(error) => return Err(error),
    }
    Ok(())
}

fn somebody_is_on_call() -> Property {
    Property::always("somebody is on call", "berkeleydb/libdb#136", |view| {
        see::kept(see::sum(&see::all(view, "calls"), "on") > 0, || "both have committed to leave".into())
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, atomic| {
        let on = |name: &str| doc([("_id", name.into()), ("on", 1.into()), ("changes", 0.into())]);
        scenario(name)
            .about("Two transactions read that both are on call, and each takes one off. The second begins its write during the first's commit.")
            .source("https://github.com/berkeleydb/libdb/issues/136")
            .stores(documents(Documents::new().with("calls", on("alice")).with("calls", on("bob"))))
            .client("T1", move |ctx| leave(ctx, atomic, "alice", "bob"))
            .client("T2", move |ctx| leave(ctx, atomic, "bob", "alice"))
            .properties([
                somebody_is_on_call(),
                no_program_fails(),
                somebody_is(&["left"], "somebody leaves"),
                somebody_is(&["stays"], "somebody stays"),
                everybody_is_done(),
            ])
    };
    vec![
        world("WS-03 commit in two steps", false)
            .breaks("somebody is on call")
            .fixed_by("WS-03 commit in two steps, repaired"),
        world("WS-03 commit in two steps, repaired", true),
    ]
}
