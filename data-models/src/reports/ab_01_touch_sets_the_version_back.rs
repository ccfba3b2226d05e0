//! AB-01, rails/rails#19776: `touch` sets the version back.
//!
//! *Mechanism:* two clients read version 0. The first saves twice, up to version 2. The second touches the record: it writes the version
//! that it has read plus one, without a version predicate, and 2 becomes 1. Who has read version 1 long ago now passes its check.
//! *Smallest configuration:* 2 clients, one record. *Source:* <https://github.com/rails/rails/issues/19776>,
//! <https://github.com/rails/rails/pull/21698>. *Violated:* the version only increases, no value of it is used again. *Repair:* touch
//! uses the same predicate, or an increment that the store computes.
//!
//! Translated from SQL: the record is a document. It also keeps the versions that it has had, for the judge.

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
pub const PATTERN: &str = "P12";

/// Writes the record at that version; `false` when it has another.
async fn save(ctx: &Context, version: i64) -> Result<bool, StoreError> {
    let at_version = and([by_id("r"), eq("version", version)]);
    change(ctx, "records", at_version, vec![set("version", version + 1), push("versions", version + 1)]).await
}

async fn saver(ctx: Context) -> Ended {
    let mut saved = 0;
    while saved < 2 {
        ctx.checkpoint("save", &[&saved.to_string()]);
        let version = read(&ctx, "records", "r").await?.int("version");
        saved += u8::from(save(&ctx, version).await?);
    }
    Ok(())
}

async fn toucher(ctx: Context, compares: bool) -> Ended {
    let version = read(&ctx, "records", "r").await?.int("version");
    let touched = vec![set("version", version + 1), push("versions", version + 1), inc("touched", 1)];
    let which = if compares { and([by_id("r"), eq("version", version)]) } else { by_id("r") };
    ctx.mark(if change(&ctx, "records", which, touched).await? { "touched" } else { "stale" });
    Ok(())
}

fn the_version_increases() -> Property {
    Property::always("the version only increases", "rails/rails#19776", |view| {
        let record = see::one(view, "records", "r");
        let versions = see::numbers(&record, "versions");
        see::kept(versions.is_sorted_by(|a, b| a < b), || format!("the record had the versions {versions:?}"))
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, compares| {
        let record =
            doc([("_id", "r".into()), ("version", 0.into()), ("touched", 0.into()), ("versions", vec![0i64].into())]);
        scenario(name)
            .about("A touch writes the version that it has read plus one while others have gone on: the version is set back.")
            .source("https://github.com/rails/rails/issues/19776")
            .stores(documents(Documents::new().with("records", record)))
            .client("saver", saver)
            .client("toucher", move |ctx| toucher(ctx, compares))
            .properties([
                the_version_increases(),
                no_program_fails(),
                somebody_is(&["touched"], "somebody touches the record"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("AB-01 touch sets the version back", false)
            .breaks("the version only increases")
            .fixed_by("AB-01 touch sets the version back, repaired"),
        world("AB-01 touch sets the version back, repaired", true)
            .property(somebody_is(&["stale"], "somebody is told that the record has changed")),
    ]
}
