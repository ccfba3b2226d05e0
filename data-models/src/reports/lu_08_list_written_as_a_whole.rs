//! LU-08, voxel51/fiftyone#3187 (the same: mongoengine#1938): a list field that is changed at the same time does not keep all changes.
//!
//! *Mechanism:* two clients hold the document in memory; each writes the list with its own element added. *Smallest configuration:* 2
//! clients, 1 key. *Source:* <https://github.com/voxel51/fiftyone/issues/3187>. *Violated:* the list holds every acknowledged element.
//! *Repair:* push instead of writing the list.

use overtake_recipes::Environment;
use overtake_recipes::store::documents::set;
use overtake_recipes::store::{Value, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P1";

async fn append(ctx: Context, pushes: bool) -> Ended {
    let me = ctx.unique_id();
    let sample = read(&ctx, "samples", "sample").await?;
    let append = match pushes {
        true => push("tags", &me),
        false => set("tags", with(sample.at("tags").unwrap_or(&Value::Null), &me)),
    };
    change(&ctx, "samples", by_id("sample"), vec![append]).await?;
    ctx.mark_with("added", &me);
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, pushes| {
        let sample = doc([("_id", "sample".into()), ("tags", vec!["a"].into())]);
        scenario(name)
            .about("Two clients hold a document with a list, and each appends to it.")
            .source("https://github.com/voxel51/fiftyone/issues/3187")
            .stores(documents(Documents::new().with("samples", sample)))
            .clients(2, move |ctx| append(ctx, pushes))
            .properties([
                see::what_was_added_is_there("voxel51/fiftyone#3187", |view| {
                    see::one(view, "samples", "sample").at("tags").cloned().unwrap_or_default()
                }),
                somebody_is(&["added"], "somebody appends"),
                everybody_is_done(),
            ])
    };
    vec![
        world("LU-08 list written as a whole", false)
            .breaks("what was added is there")
            .fixed_by("LU-08 list written as a whole, repaired"),
        world("LU-08 list written as a whole, repaired", true),
    ]
}
