//! RM-11, crownshy/comhairle#1163 and artsy/positron#1640: autosaves land out of order.
//!
//! *Mechanism:* the editor sends version 1, then version 2, the whole document each. The server stores 2, then 1. The end of the first
//! save also takes the mark of unsaved changes away. *Smallest configuration:* 1 client, one key, requests in any order. *Source:*
//! <https://github.com/crownshy/comhairle/pull/1163>, <https://github.com/artsy/positron/pull/1640>. *Violated:* once all saves are
//! answered, the last version is stored; without the mark, what is stored is what is on the screen. *Repair:* one save at a time, and
//! the mark belongs to a version. *Trap* (own analysis): the mark alone belongs to a version, and saves still overlap.

use std::cell::Cell;
use std::rc::Rc;

use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P10";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Overlapping,
    /// Overlapping, with a mark that belongs to a version.
    OwnMark,
    OneAtATime,
}

/// Saves a version; then nothing is unsaved, if that is so.
async fn save(ctx: &Context, local: &Cell<i64>, way: Way) -> Ended {
    let version = local.get();
    put(ctx, "document", version).await?;
    if way == Way::Overlapping || version == local.get() {
        ctx.mark("all is saved");
    }
    Ok(())
}

async fn editor(ctx: Context, way: Way) -> Ended {
    let (local, saving) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(false)));
    for version in 1..=2 {
        local.set(version);
        ctx.mark_with("is at version", &version.to_string());
        ctx.unmark("all is saved");
        if way == Way::OneAtATime && saving.replace(true) {
            // Whoever saves sees the new version when it is done.
            continue;
        }
        let (own, local, saving) = (ctx.clone(), local.clone(), saving.clone());
        ctx.spawn_task(async move {
            let mut saved = local.get();
            save(&own, &local, way).await?;
            while way == Way::OneAtATime && saved != local.get() {
                saved = local.get();
                save(&own, &local, way).await?;
            }
            saving.set(false);
            Ok::<(), overtake_recipes::StoreError>(())
        });
        ctx.work("typing").await;
    }
    Ok(())
}

fn the_mark_tells_the_truth() -> Property {
    Property::always("what counts as saved is saved", "crownshy/comhairle#1163", |view| {
        let editor = view.client(0);
        let local = see::shown(&editor, "is at version").unwrap_or_default();
        let stored = see::data(view, "document").as_int().unwrap_or(0).to_string();
        see::kept(!editor.is_marked("all is saved") || stored == local, || {
            format!("all counts as saved, the editor is at version {local}, and version {stored} is stored")
        })
    })
    .where_marked(&["all is saved"], 1)
}

fn the_last_version_is_stored() -> Property {
    Property::at_rest("the last version is stored", "crownshy/comhairle#1163", |view| {
        let stored = see::data(view, "document").as_int().unwrap_or(0);
        see::kept(stored == 2, || format!("all saves are answered, and version {stored} is stored"))
    })
}

/// The faulty program, the trap, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, about: &str, way| {
        scenario(name)
            .about(about)
            .source("https://github.com/crownshy/comhairle/pull/1163")
            .stores(table(Dht::seed(1)))
            .client("editor", move |ctx| editor(ctx, way))
            .properties([no_program_fails(), somebody_is(&["all is saved"], "all is saved"), everybody_is_done()])
    };
    let about = "An editor saves the whole document with each change. Saves may overtake each other on their way.";
    vec![
        world("RM-11 autosaves out of order", about, Way::Overlapping)
            .property(the_mark_tells_the_truth())
            .breaks("what counts as saved is saved")
            .fixed_by("RM-11 autosaves out of order, repaired"),
        world(
            "RM-11 autosaves out of order, trap: the mark alone",
            "The end of a save takes the mark away only if nothing was typed since. The saves still overtake each other.",
            Way::OwnMark,
        )
        .property(the_last_version_is_stored())
        .breaks("the last version is stored")
        .fixed_by("RM-11 autosaves out of order, repaired"),
        world("RM-11 autosaves out of order, repaired", about, Way::OneAtATime)
            .properties([the_mark_tells_the_truth(), the_last_version_is_stored()]),
    ]
}
