//! DI-03, rails/rails#45720: find-or-create fails when another creates at the same time.
//!
//! *Mechanism:* both find nothing, both insert. With a unique index the second meets an error, without one there are two rows. *Smallest
//! configuration:* 2 clients, 1 key. *Source:* <https://github.com/rails/rails/pull/45720>. *Violated:* both callers get the same row
//! and no error. *Repair:* catch the violation and find again. *Trap:* create first, behind a uniqueness check of the application: the check
//! refuses instead of finding.

use overtake_recipes::store::documents::eq;
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_recipes::{Environment, StoreError, Value};
use overtake_sim::program::{Context, Outcome};
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::property::Property;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P4";

const BREAKS: &str = "both get the same row and no error";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    FindThenInsert,
    FindsAgain,
    CreatesFirst,
}

async fn find(ctx: &Context) -> Result<Option<Value>, StoreError> {
    ctx.documents().find_one("users", eq("name", "ann")).await
}

async fn find_or_create(ctx: Context, way: Way) -> Result<(), String> {
    let text = |error: StoreError| error.to_string();
    let guid = ctx.unique_id();
    let found = find(&ctx).await.map_err(text)?;
    if way == Way::CreatesFirst && found.is_some() {
        return Err("name has already been taken".into());
    }
    let row = match found {
        Some(row) => row,
        None => {
            let new = doc([("guid", (&guid).into()), ("name", "ann".into())]);
            match ctx.documents().insert("users", new.clone()).await {
                Ok(_) => new,
                Err(StoreError::DuplicateKey) if way != Way::FindThenInsert => {
                    find(&ctx).await.map_err(text)?.unwrap_or_default()
                }
                Err(error) => return Err(text(error)),
            }
        }
    };
    ctx.mark_with("row", row.text("guid"));
    Ok(())
}

fn same_row_and_no_error() -> Property {
    Property::always(BREAKS, "rails/rails#45720", |view| {
        let mut rows = Vec::new();
        for client in view.clients() {
            if let Some(Outcome::Failed(why)) = client.outcome() {
                return Err(format!("{} ended with the error {why}", client.name()));
            }
            rows.extend(see::shown(&client, "row"));
        }
        see::kept(rows.windows(2).all(|two| two[0] == two[1]), || "they have two different rows".into())
    })
}

/// The faulty program with and without an index, the repaired one, its trap.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, way, unique| {
        let store = if unique { Documents::new().unique("users", &["name"]) } else { Documents::new() };
        scenario(name)
            .about("Two clients find or create the same row, which is not there yet.")
            .source("https://github.com/rails/rails/pull/45720")
            .stores(documents(store))
            .clients(2, move |ctx| find_or_create(ctx, way))
            .properties([same_row_and_no_error(), somebody_is(&["row"], "somebody gets the row"), everybody_is_done()])
    };
    let repaired = "DI-03 find or create, repaired";
    let breaks = |scenario: Scenario| scenario.breaks(BREAKS).fixed_by(repaired);
    vec![
        breaks(world("DI-03 find or create", Way::FindThenInsert, true)),
        breaks(world("DI-03 find or create, without an index", Way::FindThenInsert, false)),
        world(repaired, Way::FindsAgain, true),
        breaks(world("DI-03 find or create, trap: creates first behind a check", Way::CreatesFirst, true)),
    ]
}
