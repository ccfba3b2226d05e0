//! SR-09, kubernetes/kubernetes#16134: a controller conflicts with its own write.
//!
//! *Mechanism:* the controller updates the status from version 5 to 6. Its watch cache still shows 5. The next pass gets 5 from the cache and
//! updates at 5: a conflict, which it ignores, and tries again at once. *Smallest configuration:* 1 client, one key, a cache that lags.
//! *Source:* <https://github.com/kubernetes/kubernetes/issues/16134>, <https://github.com/kubernetes-sigs/controller-runtime/issues/741>.
//! *Violated:* a client's reads include its own acknowledged writes, or it waits for them: alone it meets no conflict. *Repair:* the
//! last version written is remembered, and older contents of the cache are ignored.
//!
//! Translated: the cache is a replica of the document store.

use overtake_recipes::Environment;
use overtake_recipes::store::documents::{Op, and, eq, inc};
use overtake_recipes::store::{DataEnvironment, Documents as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P9";

async fn controller(ctx: Context, remembers: bool) -> Ended {
    let mut written = 0;
    for pass in 1..=2 {
        let version = loop {
            ctx.checkpoint("look", &[&pass.to_string(), &written.to_string()]);
            let cached = ctx.documents().at_replica("objects", Op::FindOne(by_id("o"))).await?.document();
            let version = cached.map_or(0, |object| object.int("version"));
            if version >= written || !remembers {
                break version;
            }
            ctx.mark("ignores what is old");
        };
        let same = and([by_id("o"), eq("version", version)]);
        match change(&ctx, "objects", same, vec![inc("version", 1)]).await? {
            true => written = version + 1,
            false => ctx.mark("conflicts with itself"),
        }
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, remembers| {
        scenario(name)
            .about("A controller updates an object twice, by what its cache shows, which does not have the first update yet.")
            .source("https://github.com/kubernetes/kubernetes/issues/16134")
            .stores(documents(
                Documents::new().with("objects", doc([("_id", "o".into()), ("version", 5.into())])).with_replica(),
            ))
            .client("controller", move |ctx| controller(ctx, remembers))
            .properties([
                see::at_most(
                    0,
                    &["conflicts with itself"],
                    "a client alone meets no conflict",
                    "kubernetes/kubernetes#16134",
                ),
                no_program_fails(),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("SR-09 cache behind the own write", false)
            .breaks("a client alone meets no conflict")
            .fixed_by("SR-09 cache behind the own write, repaired"),
        world("SR-09 cache behind the own write, repaired", true)
            .property(somebody_is(&["ignores what is old"], "somebody ignores what is old")),
    ]
}
