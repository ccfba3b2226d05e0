//! PM-06, calimero-network/core#2634: a log entry and the head of the log are two writes.
//!
//! *Mechanism:* the entry is put; the writer dies; the head is still the old one. Elsewhere in the same code the head comes first, and the entry is
//! missing. *Smallest configuration:* 1 client, 2 keys, one crash. *Source:* <https://github.com/calimero-network/core/issues/2634>.
//! *Violated:* the head is the last entry, and every entry up to the head is there. *Repair:* one write for both. *Trap:* the other
//! order.

use overtake_recipes::Value;
use overtake_recipes::store::{DataEnvironment, Dht as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P7";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    EntryFirst,
    HeadFirst,
    Together,
}

fn log(head: i64, entries: &[&str]) -> Value {
    doc([("head", head.into()), ("entries", entries.to_vec().into())])
}

/// Appends the second entry.
async fn appender(ctx: Context, way: Way) -> Ended {
    match way {
        Way::EntryFirst => {
            ctx.dht().append("entries", vec!["second"].into()).await?;
            put(&ctx, "head", 2).await?;
        }
        Way::HeadFirst => {
            put(&ctx, "head", 2).await?;
            ctx.dht().append("entries", vec!["second"].into()).await?;
        }
        Way::Together => {
            let old = get(&ctx, "log").await?;
            ctx.dht().update("log", log(2, &["first", "second"]), old.version).await?;
        }
    }
    ctx.mark("appended");
    Ok(())
}

fn head_is_the_last_entry() -> Property {
    Property::at_rest("the head is the last entry", "calimero-network/core#2634", |view| {
        let (log, entries) = (see::data(view, "log"), see::data(view, "entries"));
        let (head, entries) = match log {
            Value::Null => (see::data(view, "head").as_int().unwrap_or(0), entries.strings().len()),
            log => (log.int("head"), log.at("entries").map_or(0, |entries| entries.strings().len())),
        };
        see::kept(head == entries as i64, || format!("the head is {head}, there are {entries} entries"))
    })
}

/// The faulty program, the trap, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, way| {
        let table = match way {
            Way::Together => Dht::seed(1).with("log", log(1, &["first"])),
            _ => Dht::seed(1).with("head", 1).with("entries", vec!["first"]),
        };
        scenario(name)
            .about("A log has entries and a head. Its writer dies between the two.")
            .source("https://github.com/calimero-network/core/issues/2634")
            .stores(table.into())
            .client("appender", move |ctx| appender(ctx, way))
            .crashes(1)
            .properties([
                head_is_the_last_entry(),
                no_program_fails(),
                somebody_is(&["appended"], "an entry is appended"),
                everybody_is_done(),
            ])
    };
    vec![
        world("PM-06 log and head apart", Way::EntryFirst)
            .breaks("the head is the last entry")
            .fixed_by("PM-06 log and head apart, repaired"),
        world("PM-06 log and head apart, trap: the head first", Way::HeadFirst)
            .breaks("the head is the last entry")
            .fixed_by("PM-06 log and head apart, repaired"),
        world("PM-06 log and head apart, repaired", Way::Together),
    ]
}
