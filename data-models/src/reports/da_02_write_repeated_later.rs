//! DA-02, etcd-io/jetcd#1444: a library repeats a write in the background, over somebody's later one.
//!
//! *Mechanism:* C1's write of a is applied, its answer is lost, and the library retries in the background. C2 reads a and writes b. C1's
//! retry is applied: a again, C2's update is lost. *Smallest configuration:* 2 clients, one key, one lost answer. *Source:*
//! <https://github.com/etcd-io/jetcd/issues/1444>, <https://github.com/etcd-io/etcd/issues/18424>,
//! <https://github.com/etcd-io/etcd/issues/14890>. *Violated:* an acknowledged operation takes effect once, between call and return; so
//! an update of what was read stays. *Repair:* a call is sent again only if the server surely has not acted; else the caller is told
//! that the outcome is unknown.
//!
//! Translated from etcd: the key is one of the hash table.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht as _};
use overtake_sim::program::Context;
use overtake_sim::stores::Dht;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P14";

async fn first(ctx: Context, repeats: bool) -> Ended {
    let written = match repeats {
        true => insist(|| put(&ctx, "x", "a")).await,
        false => put(&ctx, "x", "a").await,
    };
    match written {
        Ok(()) => ctx.mark("wrote a"),
        Err(StoreError::Unknown) => ctx.mark("does not know"),
        Err(error) => return Err(error),
    }
    Ok(())
}

async fn second(ctx: Context) -> Ended {
    if ctx.dht().get("x").await?.is_some_and(|item| item.data == "a".into()) {
        put(&ctx, "x", "b").await?;
        ctx.mark("wrote b after a");
    }
    Ok(())
}

fn the_update_stays() -> Property {
    Property::always("an update of what was read stays", "etcd-io/jetcd#1444", |view| {
        let value = see::data(view, "x");
        let lost = see::marked(view, "wrote b after a") > 0 && value != "b".into();
        see::kept(!lost, || format!("a was read and b was written, and the value is {value}"))
    })
    .where_marked(&["wrote b after a"], 1)
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, repeats| {
        scenario(name)
            .about("The answer to a write is lost. Another client reads what was written and replaces it; then the write comes again.")
            .source("https://github.com/etcd-io/jetcd/issues/1444")
            .stores(table(Dht::seed(1)))
            .client("first", move |ctx| first(ctx, repeats))
            .client("second", second)
            .spared()
            .timeouts(1)
            .properties([
                the_update_stays(),
                no_program_fails(),
                somebody_is(&["wrote b after a"], "somebody updates"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("DA-02 write repeated later", true)
            .breaks("an update of what was read stays")
            .fixed_by("DA-02 write repeated later, repaired"),
        world("DA-02 write repeated later, repaired", false)
            .property(somebody_is(&["does not know"], "somebody does not know")),
    ]
}
