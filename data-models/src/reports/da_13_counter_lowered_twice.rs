//! DA-13, rails/rails#14735: two destroys of one record lower the counter twice.
//!
//! *Mechanism:* both load the record; the first deletes one row and lowers the counter; the second deletes no row, which is no error, and
//! lowers it as well. *Smallest configuration:* 2 clients, one record, one counter. *Source:* <https://github.com/rails/rails/pull/14735>,
//! <https://github.com/magnusvk/counter_culture/pull/266>. *Violated:* the counter is the number of children. *Repair:* it is lowered only
//! if the delete has removed a row.
//!
//! Translated from SQL: children and parent are documents. There are two children, and one is destroyed twice.

use overtake_recipes::Value;
use overtake_recipes::store::documents::inc;
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P16";

async fn destroy(ctx: Context, looks: bool) -> Ended {
    if read(&ctx, "children", "r").await? == Value::Null {
        ctx.mark("finds nothing");
        return Ok(());
    }
    let removed = ctx.documents().delete_one("children", by_id("r")).await?;
    if removed || !looks {
        change(&ctx, "parents", by_id("p"), vec![inc("children", -1)]).await?;
    }
    ctx.mark(if removed { "removed" } else { "removed nothing" });
    Ok(())
}

fn the_counter_counts() -> Property {
    Property::at_rest("the counter is the number of children", "rails/rails#14735", |view| {
        let (counted, children) = (see::one(view, "parents", "p").int("children"), see::all(view, "children").len());
        see::kept(counted == children as i64, || format!("{counted} children are counted, {children} are there"))
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, looks| {
        let store = Documents::new()
            .with("children", doc([("_id", "r".into())]))
            .with("children", doc([("_id", "another".into())]))
            .with("parents", doc([("_id", "p".into()), ("children", 2.into())]));
        scenario(name)
            .about("Two requests destroy the same record. The second removes nothing, and lowers its parent's counter all the same.")
            .source("https://github.com/rails/rails/pull/14735")
            .stores(documents(store))
            .clients(2, move |ctx| destroy(ctx, looks))
            .properties([
                the_counter_counts(),
                no_program_fails(),
                somebody_is(&["removed nothing"], "somebody removes nothing"),
                somebody_is(&["finds nothing"], "somebody finds nothing"),
                everybody_is_done(),
            ])
    };
    vec![
        world("DA-13 counter lowered twice", false)
            .breaks("the counter is the number of children")
            .fixed_by("DA-13 counter lowered twice, repaired"),
        world("DA-13 counter lowered twice, repaired", true),
    ]
}
