//! DA-12, microsoft/garnet#1833: SADD answers 2 when one item is added.
//!
//! *Mechanism:* the first attempt of the internal read-modify-write counts the item as added and loses the compare-and-set; the second attempt
//! succeeds and counts it again, in the same output. *Smallest configuration:* 2 clients, one key, a compare-and-set loop with a side
//! effect. *Source:* <https://github.com/microsoft/garnet/issues/1833>. *Violated:* the count that is returned is what the call has added.
//! *Repair:* each attempt starts the output anew.
//!
//! Translated: the set is a list under a key of the hash table, the loop is the server's own.

use overtake_recipes::store::{DataEnvironment, Dht as _, Updated};
use overtake_recipes::{StoreError, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P16";

/// The server's SADD: how many members it has added.
async fn sadd(ctx: &Context, member: &str, starts_anew: bool) -> Result<i64, StoreError> {
    let mut added = 0;
    loop {
        if starts_anew {
            added = 0;
        }
        let set = get(ctx, "set").await?;
        if set.data.strings().iter().any(|other| other == member) {
            return Ok(added);
        }
        added += 1;
        if ctx.dht().update("set", with(&set.data, member), set.version).await? == Updated::Stored {
            return Ok(added);
        }
        ctx.mark("tries again");
    }
}

async fn client(ctx: Context, member: &'static str, starts_anew: bool) -> Ended {
    let added = sadd(&ctx, member, starts_anew).await?;
    ctx.mark_with("told", &added.to_string());
    Ok(())
}

fn told_what_was_added() -> Property {
    Property::at_rest("the counts are what was added", "microsoft/garnet#1833", |view| {
        let told = view.clients().filter_map(|c| see::shown(&c, "told")?.parse::<usize>().ok()).sum::<usize>();
        let members = see::data(view, "set").strings().len();
        see::kept(told == members, || format!("the callers are told of {told} members added, and {members} are there"))
    })
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, starts_anew| {
        scenario(name)
            .about("An attempt counts the member that it adds and then loses the compare-and-set; the next counts it again.")
            .source("https://github.com/microsoft/garnet/issues/1833")
            .stores(table(Dht::seed(1).with("set", Value::List(Vec::new()))))
            .client("adds a", move |ctx| client(ctx, "a", starts_anew))
            .client("adds b", move |ctx| client(ctx, "b", starts_anew))
            .properties([
                told_what_was_added(),
                no_program_fails(),
                somebody_is(&["tries again"], "somebody tries again"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("DA-12 count kept over attempts", false)
            .breaks("the counts are what was added")
            .fixed_by("DA-12 count kept over attempts, repaired"),
        world("DA-12 count kept over attempts, repaired", true),
    ]
}
