//! PM-08, AppScale/gts#2399 (the same: james-project#3135): a row is written with the server's time and deleted with the client's.
//!
//! *Mechanism:* a conditional write gives its cells the server's timestamps. A plain delete brings an older one, of a client whose clock is behind: it
//! removes the cells that are older still, and leaves the others. A row with a part of its fields is left. *Smallest configuration:* 2
//! clients, 1 row with 2 fields, skewed clocks. *Source:* <https://github.com/AppScale/gts/pull/2399>,
//! <https://github.com/linagora/james-project/pull/3135>. *Violated:* a row has all its fields or none. *Repair:* delete by a conditional
//! write as well: one source of timestamps.
//!
//! Translated from Cassandra: a cell is a value with a timestamp; a write or a delete takes effect on the cells that are older.

use overtake_recipes::store::{DataEnvironment, Dht as _, Item, Updated, doc};
use overtake_recipes::{Environment, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P26";

/// The client's clock is behind the server's.
const CLIENT: i64 = 3;
const SERVER: i64 = 5;

fn cell(written: i64) -> Value {
    doc([("written", written.into())])
}

/// Takes the cells out of the row that are older than that.
fn without_older(row: &Value, time: i64) -> Value {
    let mut row = row.clone();
    for name in ["payload", "lease"] {
        if row.at(name).is_some_and(|cell| cell.int("written") < time) {
            row.remove(name);
        }
    }
    row
}

/// One step of the server with the row; `change` answers nothing where a condition fails.
async fn in_one_step(ctx: &Context, place: &'static str, change: impl Fn(&Value) -> Option<Value>) -> Ended {
    loop {
        ctx.checkpoint(place, &[]);
        let Item { data, version } = get(ctx, "task").await?;
        let Some(new) = change(&data) else { return Ok(()) };
        if ctx.dht().update("task", new, version).await? == Updated::Stored {
            return Ok(());
        }
    }
}

/// Leases the task by a conditional write, if it is there.
async fn worker(ctx: Context) -> Ended {
    in_one_step(&ctx, "lease", |row| {
        row.at("payload")?;
        let mut row = row.clone();
        row.set("lease", cell(SERVER));
        Some(row)
    })
    .await
}

/// Deletes the task, plainly or by a conditional write, whose time is after that of all others.
async fn deleter(ctx: Context, conditional: bool) -> Ended {
    let time = if conditional { SERVER + 1 } else { CLIENT };
    in_one_step(&ctx, "delete", |row| Some(without_older(row, time))).await?;
    ctx.mark("deleted");
    Ok(())
}

fn all_fields_or_none() -> Property {
    Property::always("a row has all its fields or none", "AppScale/gts#2399", |view| {
        let row = see::data(view, "task");
        let [payload, lease] = ["payload", "lease"].map(|name| row.at(name).is_some());
        see::kept(payload == lease, || format!("the task is {row}"))
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, conditional| {
        let task = doc([("payload", cell(1)), ("lease", cell(1))]);
        scenario(name)
            .about("A worker leases a task by a conditional write, with the time of the server. Another client deletes the task, with its own.")
            .source("https://github.com/AppScale/gts/pull/2399")
            .stores(Dht::seed(1).with("task", task).into())
            .client("worker", worker)
            .client("deleter", move |ctx| deleter(ctx, conditional))
            .properties([
                all_fields_or_none(),
                no_program_fails(),
                somebody_is(&["deleted"], "the task is deleted"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("PM-08 two clocks for one row", false)
            .breaks("a row has all its fields or none")
            .fixed_by("PM-08 two clocks for one row, repaired"),
        world("PM-08 two clocks for one row, repaired", true),
    ]
}
