//! LB-09, ServiceStack/ServiceStack.Redis#215: a failed acquire changes the lock's value.
//!
//! *Mechanism:* the lock's value is its deadline. C2 exchanges it for its own (GETSET), looks at the old one, which has not passed, and
//! answers "not acquired". But the value is C2's deadline now: C1's has moved, and C1's own comparison at release fails. *Smallest
//! configuration:* 2 clients, one key. *Source:* <https://github.com/ServiceStack/ServiceStack.Redis/pull/215>. *Violated:* an acquire that
//! fails leaves the lock as it is; so it names its holder's deadline. *Repair:* watch and transaction: take over only what was seen.
//!
//! Translated from Redis: the lock is a document, GETSET a find-and-modify. A former holder has left it with a deadline that has passed.

use overtake_recipes::store::documents::{Returning, and, eq, set};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_recipes::{Environment, StoreError};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P24";

const PASSED: &str = "passed";

/// Takes the lock over if its deadline has passed.
async fn acquire(ctx: &Context, deadline: &str, watches: bool) -> Result<bool, StoreError> {
    if watches {
        let seen = read(ctx, "locks", "lock").await?;
        let same = and([by_id("lock"), eq("deadline", seen.text("deadline"))]);
        return Ok(
            seen.text("deadline") == PASSED && change(ctx, "locks", same, vec![set("deadline", deadline)]).await?
        );
    }
    let mine = vec![set("deadline", deadline)];
    let old = ctx.documents().find_and_modify("locks", by_id("lock"), mine, Returning::Before).await?;
    Ok(old.is_some_and(|lock| lock.text("deadline") == PASSED))
}

async fn client(ctx: Context, watches: bool) -> Ended {
    let deadline = ctx.unique_id();
    if !acquire(&ctx, &deadline, watches).await? {
        ctx.mark("not acquired");
        return Ok(());
    }
    ctx.mark_with("holds", &deadline);
    ctx.work("work").await;
    ctx.unmark("holds");
    ctx.documents().delete_one("locks", and([by_id("lock"), eq("deadline", &deadline)])).await.map(drop)
}

fn a_failed_acquire_changes_nothing() -> Property {
    Property::always("a failed acquire changes nothing", "ServiceStack/ServiceStack.Redis#215", |view| {
        let deadline = see::one(view, "locks", "lock").text("deadline").to_owned();
        let robbed = see::who(view, "holds").find(|client| see::shown(client, "holds").as_ref() != Some(&deadline));
        see::kept(robbed.is_none(), || "the holder's deadline is no longer the one in the lock".into())
    })
    .where_marked(&["holds"], 1)
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, watches| {
        let lock = doc([("_id", "lock".into()), ("deadline", PASSED.into())]);
        scenario(name)
            .about("One client has taken over a lock whose deadline had passed. Another tries, fails, and leaves its own deadline there.")
            .source("https://github.com/ServiceStack/ServiceStack.Redis/pull/215")
            .stores(documents(Documents::new().with("locks", lock)))
            .clients(2, move |ctx| client(ctx, watches))
            .properties([
                a_failed_acquire_changes_nothing(),
                no_program_fails(),
                somebody_holds(),
                somebody_is(&["not acquired"], "somebody does not acquire it"),
                everybody_is_done(),
            ])
    };
    vec![
        world("LB-09 failed acquire changes the lock", false)
            .breaks("a failed acquire changes nothing")
            .fixed_by("LB-09 failed acquire changes the lock, repaired"),
        world("LB-09 failed acquire changes the lock, repaired", true),
    ]
}
