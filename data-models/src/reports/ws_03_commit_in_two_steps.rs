//! WS-03, berkeleydb/libdb#136: a write that begins during another's commit is not seen as a conflict.
//!
//! *Mechanism:* alice or bob must be on call. T1 and T2 read both. T1 takes alice off and begins its commit; T2 takes bob off while that
//! commit is going on, misses the marker of the conflict, and commits as well. *Smallest configuration:* 2 transactions, two records, a
//! commit of two steps. *Source:* <https://github.com/berkeleydb/libdb/issues/136>. *Violated:* what is committed could have been done one
//! after the other. *Repair:* a conflict is registered in the same step as the commit.
//!
//! Translated: both records lie in one document, and the store's own commit is a program of calls on it. It looks whether what was read has
//! changed, and then writes; the repaired one does both in one call. A transaction shows what it has read and written when it is committed.

use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{and, eq, set};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P6";

/// A transaction that takes `me` off if both are on call.
async fn leave(ctx: Context, atomic: bool, me: &'static str, other: &'static str) -> Ended {
    let calls = read(&ctx, "calls", "c").await?;
    let (alice, bob) = (calls.int("alice"), calls.int("bob"));
    if alice + bob < 2 {
        ctx.mark_with("committed", &format!("{alice} {bob} nobody"));
        return Ok(());
    }
    // The commit: first it looks for conflicts …
    let unchanged = calls.int(other);
    if !atomic && read(&ctx, "calls", "c").await?.int(other) != unchanged {
        ctx.mark("aborted");
        return Ok(());
    }
    // … and then it writes; or both at once.
    let which = if atomic { and([by_id("c"), eq(other, unchanged)]) } else { by_id("c") };
    match change(&ctx, "calls", which, vec![set(me, 0)]).await? {
        true => {
            ctx.mark("left");
            ctx.mark_with("committed", &format!("{alice} {bob} {me}"));
        }
        false => ctx.mark("aborted"),
    }
    Ok(())
}

/// Whether the transactions, each with what it has read and whom it has taken off, can have come one after the other.
fn is_serial(alice: i64, bob: i64, committed: &[String]) -> bool {
    committed.is_empty()
        || (0..committed.len()).any(|first| {
            let mut rest = committed.to_vec();
            let effect = rest.remove(first);
            effect.strip_prefix(&format!("{alice} {bob} ")).is_some_and(|who| match who {
                "alice" => is_serial(0, bob, &rest),
                "bob" => is_serial(alice, 0, &rest),
                _ => is_serial(alice, bob, &rest),
            })
        })
}

fn committed_is_serial() -> Property {
    Property::at_rest("what is committed has a serial order", "berkeleydb/libdb#136", |view| {
        let committed: Vec<String> =
            see::who(view, "committed").filter_map(|client| see::shown(&client, "committed")).collect();
        see::kept(is_serial(1, 1, &committed), || {
            format!("no order explains what has been read and written: {}", committed.join(", and "))
        })
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, atomic| {
        let calls = doc([("_id", "c".into()), ("alice", 1.into()), ("bob", 1.into())]);
        scenario(name)
            .about("Two transactions read that both are on call, and each takes one off. The second begins its write during the first's commit.")
            .source("https://github.com/berkeleydb/libdb/issues/136")
            .stores(documents(Documents::new().with("calls", calls)))
            .client("T1", move |ctx| leave(ctx, atomic, "alice", "bob"))
            .client("T2", move |ctx| leave(ctx, atomic, "bob", "alice"))
            .properties([
                committed_is_serial(),
                no_program_fails(),
                somebody_is(&["left"], "somebody leaves"),
                somebody_is(&["aborted"], "somebody is aborted"),
                everybody_is_done(),
            ])
    };
    vec![
        world("WS-03 commit in two steps", false)
            .breaks("what is committed has a serial order")
            .fixed_by("WS-03 commit in two steps, repaired"),
        world("WS-03 commit in two steps, repaired", true),
    ]
}
