//! PM-11, tursodatabase/turso#5143: INSERT OR FAIL stops after the first of two indexes.
//!
//! *Mechanism:* the check of the first index passes, the first index is written. The check of the second fails, the statement stops. The first index
//! names a row that does not exist. *Smallest configuration:* 1 client, 2 index keys. *Source:*
//! <https://github.com/tursodatabase/turso/issues/5143>. *Violated:* the indexes hold the rows, and nothing else. *Repair:* all checks
//! before any write.

use overtake_recipes::store::{DataEnvironment, Dht as _, Expiration, doc};
use overtake_recipes::{StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P7";

/// The unique values of a row: a name and an address.
type Row = [&'static str; 2];

const FIRST: Row = ["name: ada", "mail: a@x"];
const SECOND: Row = ["name: bob", "mail: a@x"];

fn row(values: Row) -> Value {
    doc([("name", values[0].into()), ("mail", values[1].into())])
}

/// Whether the row was inserted.
async fn insert_or_fail(ctx: &Context, id: &str, values: Row, checks_first: bool) -> Result<bool, StoreError> {
    let dht = ctx.dht();
    if checks_first {
        for value in values {
            if dht.get(value).await?.is_some() {
                return Ok(false);
            }
        }
    }
    for value in values {
        if dht.get(value).await?.is_some() {
            return Ok(false);
        }
        put(ctx, value, id).await?;
    }
    dht.put(id, row(values), Expiration::Never).await
}

async fn client(ctx: Context, checks_first: bool) -> Ended {
    match insert_or_fail(&ctx, "row 2", SECOND, checks_first).await? {
        true => ctx.mark("inserted"),
        false => ctx.mark("failed as it should"),
    }
    Ok(())
}

fn indexes_hold_the_rows() -> Property {
    Property::at_rest("the indexes hold the rows", "tursodatabase/turso#5143", |view| {
        for value in [FIRST[0], FIRST[1], SECOND[0]] {
            if let Some(id) = see::data(view, value).as_text() {
                see::kept(see::data(view, id) != Value::Null, || {
                    format!("the index says that {value} is in {id}, and there is none")
                })?;
            }
        }
        Ok(())
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, checks_first| {
        let table =
            FIRST.iter().fold(Dht::seed(1).with("row 1", row(FIRST)), |table, value| table.with(value, "row 1"));
        scenario(name)
            .about("A table has two unique indexes. A row is inserted whose value under the second is taken.")
            .source("https://github.com/tursodatabase/turso/issues/5143")
            .stores(table.into())
            .client("client", move |ctx| client(ctx, checks_first))
            .properties([
                indexes_hold_the_rows(),
                no_program_fails(),
                somebody_is(&["failed as it should"], "the insert fails"),
                everybody_is_done(),
            ])
    };
    vec![
        world("PM-11 stopped between two indexes", false)
            .breaks("the indexes hold the rows")
            .fixed_by("PM-11 stopped between two indexes, repaired"),
        world("PM-11 stopped between two indexes, repaired", true),
    ]
}
