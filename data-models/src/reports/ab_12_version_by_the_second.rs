//! AB-12, windwalker-io/framework#1211: an optimistic lock on a time in seconds.
//!
//! *Mechanism:* the version is the time of the last change in seconds; two updates within one second write the same version, and who has
//! read the first passes the check after the second. *Smallest configuration:* 2 clients, one record, a coarse clock. *Source:*
//! <https://github.com/windwalker-io/framework/issues/1211>. *Violated:* the version changes on every update. *Repair:* a counter.
//!
//! Translated: the record is a document, the clock another one, which a client of its own moves by a second once, whenever it likes.
//! The record also keeps the versions that it has had, for the judge.

use overtake_recipes::Environment;
use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{and, eq, inc, set};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P12";

async fn client(ctx: Context, counts: bool) -> Ended {
    loop {
        ctx.checkpoint("update", &[]);
        let version = read(&ctx, "records", "r").await?.int("version");
        let next = if counts { version + 1 } else { read(&ctx, "clock", "c").await?.int("now") };
        let same = and([by_id("r"), eq("version", version)]);
        if change(&ctx, "records", same, vec![set("version", next), push("versions", next)]).await? {
            return Ok(());
        }
        ctx.mark("reads again");
    }
}

async fn clock(ctx: Context) -> Ended {
    change(&ctx, "clock", by_id("c"), vec![inc("now", 1)]).await.map(drop)
}

fn the_version_changes() -> Property {
    Property::always("the version changes on every update", "windwalker-io/framework#1211", |view| {
        let record = see::one(view, "records", "r");
        let versions = see::numbers(&record, "versions");
        see::kept(versions.windows(2).all(|two| two[0] != two[1]), || {
            format!("the record had the versions {versions:?}")
        })
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, counts| {
        let record = doc([("_id", "r".into()), ("version", 0.into()), ("versions", vec![0i64].into())]);
        let store =
            Documents::new().with("records", record).with("clock", doc([("_id", "c".into()), ("now", 1.into())]));
        scenario(name)
            .about("Two updates within one second write the same version.")
            .source("https://github.com/windwalker-io/framework/issues/1211")
            .stores(documents(store))
            .clients(2, move |ctx| client(ctx, counts))
            .client("clock", clock)
            .properties([
                the_version_changes(),
                no_program_fails(),
                somebody_is(&["reads again"], "somebody reads again"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("AB-12 version by the second", false)
            .breaks("the version changes on every update")
            .fixed_by("AB-12 version by the second, repaired"),
        world("AB-12 version by the second, repaired", true),
    ]
}
