//! DA-08, portworx/kvdb#18: after a timeout the value decides whether a compare-and-set went through.
//!
//! *Mechanism:* two clients compare-and-set from index 5 to the same new value; one gets no answer. One of the two is applied; the other reads
//! its value at another index, and concludes that it was its own. *Smallest configuration:* 2 clients, one key, one lost answer (two
//! in the report). *Source:* <https://github.com/portworx/kvdb/pull/18>. *Violated:* no more clients are told success than
//! compare-and-sets were applied. *Repair:* the value holds a unique id of its writer.
//!
//! Translated: the key is a document with an index, which each applied operation counts up.

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

async fn client(ctx: Context, with_id: bool) -> Ended {
    let new = if with_id { format!("v by {}", ctx.unique_id()) } else { "v".into() };
    let at_five = and([by_id("k"), eq("index", 5)]);
    let succeeded = match change(&ctx, "keys", at_five, vec![set("value", &new), inc("index", 1)]).await {
        Err(StoreError::Unknown) => {
            let key = insist(|| read(&ctx, "keys", "k")).await?;
            let own = key.text("value") == new && key.int("index") != 5;
            ctx.mark(if own { "found its own" } else { "found another's" });
            own
        }
        result => result?,
    };
    ctx.mark(if succeeded { "told success" } else { "told failure" });
    Ok(())
}

fn successes_were_applied() -> Property {
    Property::always("successes were applied", "portworx/kvdb#18", |view| {
        let applied = see::one(view, "keys", "k").int("index") - 5;
        let told = see::marked(view, "told success");
        see::kept(told <= applied, || format!("{told} are told success, {applied} was applied"))
    })
    .where_marked(&["told success"], 1)
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, with_id, lost| {
        let key = doc([("_id", "k".into()), ("value", "old".into()), ("index", 5.into())]);
        scenario(name)
            .about("Two clients write the same value by compare-and-set. One gets no answer, reads the other's value, and takes it for its own.")
            .source("https://github.com/portworx/kvdb/pull/18")
            .stores(documents(Documents::new().with("keys", key)))
            .clients(2, move |ctx| client(ctx, with_id))
            .timeouts(lost)
            .properties([
                successes_were_applied(),
                no_program_fails(),
                somebody_is(&["told success"], "somebody succeeds"),
                somebody_is(&["told failure"], "somebody fails"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    let own = || somebody_is(&["found its own"], "somebody finds its own value after no answer");
    vec![
        world("DA-08 success by value", false, 1)
            .breaks("successes were applied")
            .fixed_by("DA-08 success by value, repaired"),
        world("DA-08 success by value, repaired", true, 1).property(own()),
        world("DA-08 success by value, two lost answers", false, 2)
            .breaks("successes were applied")
            .fixed_by("DA-08 success by value, two lost answers, repaired"),
        world("DA-08 success by value, two lost answers, repaired", true, 2).property(own()),
    ]
}
