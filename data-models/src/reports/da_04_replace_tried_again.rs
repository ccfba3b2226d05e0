//! DA-04, infinispan/infinispan#2254: a conditional operation is tried again after the owner has changed, and fails on its own effect.
//!
//! *Mechanism:* the primary owner applies replace(old, new); it is lost before it answers; the originator tries again; the new owner holds
//! the new value, so the comparison with the old one fails: the caller is told no, though it was done. *Smallest configuration:* 1 client,
//! one key, one lost answer. *Source:* <https://github.com/infinispan/infinispan/pull/2254>,
//! <https://github.com/infinispan/infinispan/pull/2949>. *Violated:* the result is yes if and only if the change is in the history
//! (once). *Repair:* when it is tried again, the expected value or the new one will do. *Trap:* that is wrong when somebody else writes the
//! same new value. *Trap:* it is wrong as well when the new value is overwritten in between: the second try finds the expected one and
//! writes the new one again, over what came after it. An id of the call, kept beside the value and asked for in the write, helps in both.
//!
//! Translated: that the owner is lost with the answer on its way, and that its successor has the value, is an answer that is lost. The
//! document keeps the ids of those whose change was applied: for the judge, and for the repair by an id.

use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{and, eq, ne, set};
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
    Again,
    ExpectedOrNew,
    OwnId,
}

async fn replace(ctx: &Context, me: &str, way: Way) -> Result<bool, StoreError> {
    let mut again = false;
    loop {
        let old = match way {
            Way::OwnId => and([by_id("k"), eq("value", "old"), ne("applied", me)]),
            _ => and([by_id("k"), eq("value", "old")]),
        };
        match change(ctx, "entries", old, vec![set("value", "new"), push("applied", me)]).await {
            Err(StoreError::Unknown) => again = true,
            Ok(false) if again => {
                let entry = insist(|| read(ctx, "entries", "k")).await?;
                let done = match way {
                    Way::Again => false,
                    Way::ExpectedOrNew => entry.text("value") == "new",
                    Way::OwnId => entry.at("applied").is_some_and(|ids| ids.strings().iter().any(|id| id == me)),
                };
                ctx.mark(if done { "found it done" } else { "takes it for refused" });
                return Ok(done);
            }
            result => return result,
        }
    }
}

async fn client(ctx: Context, way: Way) -> Ended {
    let me = ctx.unique_id();
    match replace(&ctx, &me, way).await? {
        true => ctx.mark_with("told yes", &me),
        false => ctx.mark_with("told no", &me),
    }
    Ok(())
}

fn told_what_is() -> Property {
    Property::at_rest("the result is what has happened", "infinispan/infinispan#2254", |view| {
        let applied = see::one(view, "entries", "k").at("applied").map(|ids| ids.strings()).unwrap_or_default();
        for client in view.clients() {
            let yes = see::shown(&client, "told yes").is_some_and(|me| !applied.contains(&me));
            see::kept(!yes, || format!("{} is told yes, and its change is not in the history", client.name()))?;
            let no = see::shown(&client, "told no").is_some_and(|me| applied.contains(&me));
            see::kept(!no, || format!("{} is told no, and its change is in the history", client.name()))?;
            let times = see::shown(&client, "told yes").map_or(0, |me| applied.iter().filter(|id| **id == me).count());
            see::kept(times < 2, || format!("{}'s change is in the history twice", client.name()))?;
        }
        Ok(())
    })
}

/// The faulty program, the repaired one, its traps, and what holds for each.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, about: &str, clients, way| {
        scenario(name)
            .about(about)
            .source("https://github.com/infinispan/infinispan/pull/2254")
            .stores(documents(Documents::new().with("entries", doc([("_id", "k".into()), ("value", "old".into())]))))
            .clients(clients, move |ctx| client(ctx, way))
            .timeouts(1)
            .properties([
                told_what_is(),
                no_program_fails(),
                somebody_is(&["told yes"], "somebody is told yes"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    // Takes the new value back, once.
    let puts_back = |ctx: Context| async move {
        let new = and([by_id("k"), eq("value", "new")]);
        if insist(|| change(&ctx, "entries", new.clone(), vec![set("value", "old")])).await? {
            ctx.mark("put back");
        }
        Ok::<(), StoreError>(())
    };
    let over = "A replacement is applied, its answer is lost; another puts the old value back; the second try replaces it once more.";
    let finds = || somebody_is(&["found it done"], "somebody finds after no answer that it is done");
    let alone =
        "A replacement is applied, its answer is lost, and the second try finds the new value instead of the old.";
    let two = "Two clients replace by the same new value. The call of one is lost, and its second try finds what the other has written.";
    vec![
        world("DA-04 replace tried again", alone, 1, Way::Again)
            .breaks("the result is what has happened")
            .fixed_by("DA-04 replace tried again, repaired"),
        world("DA-04 replace tried again, repaired", alone, 1, Way::ExpectedOrNew).property(finds()),
        world("DA-04 replace tried again, trap: another's new value", two, 2, Way::ExpectedOrNew)
            .breaks("the result is what has happened")
            .fixed_by("DA-04 replace tried again, repaired by an id"),
        world("DA-04 replace tried again, repaired by an id", two, 2, Way::OwnId)
            .properties([finds(), somebody_is(&["told no"], "somebody is told no")]),
        world("DA-04 replace tried again, trap: overwritten and written again", over, 1, Way::ExpectedOrNew)
            .client("puts back", puts_back)
            .property(somebody_is(&["put back"], "the old value is put back"))
            .breaks("the result is what has happened")
            .fixed_by("DA-04 replace tried again, overwritten, repaired by an id"),
        world("DA-04 replace tried again, overwritten, repaired by an id", over, 1, Way::OwnId)
            .client("puts back", puts_back)
            .properties([somebody_is(&["put back"], "the old value is put back"), finds()]),
    ]
}
