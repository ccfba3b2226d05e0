//! RX-01, keycloak/keycloak#5343: an update that loses every round is repeated for ever, or given up in silence.
//!
//! *Mechanism:* a session is updated by get and replace(old, new), in a loop without an end; while others write, it never ends. *Smallest
//! configuration:* 2 clients, one key, a limit of 2 rounds. *Source:* <https://github.com/keycloak/keycloak/pull/5343>,
//! <https://github.com/keycloak/keycloak/issues/28466>, <https://github.com/keycloak/keycloak/issues/30451>. *Violated:* the loop ends; what
//! is acknowledged is in the store. *Repair:* after the last round the caller is told that it has failed. *Trap:* the first repair, a limit
//! after which a warning is written and the request answers success: the loop ends, and the update is gone.
//!
//! Translated: the session is a document, compared by its value. The other writer goes on for ever between two values, which is what keeps
//! the world finite.

use overtake_recipes::Environment;
use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{and, eq, set};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P17";

const ROUNDS: u32 = 2;

#[derive(Clone, Copy, Debug)]
enum Way {
    Endless,
    SuccessAnyway,
    ToldOfFailure,
}

async fn request(ctx: Context, way: Way) -> Ended {
    let mut rounds = 0;
    let replaced = loop {
        ctx.checkpoint("round", &[&rounds.to_string()]);
        let seen = read(&ctx, "sessions", "s").await?.int("touched");
        let same = and([by_id("s"), eq("touched", seen)]);
        if change(&ctx, "sessions", same, vec![set("note", "mine")]).await? {
            break true;
        }
        if !matches!(way, Way::Endless) {
            rounds += 1;
        }
        if rounds == ROUNDS {
            break false;
        }
    };
    match replaced || matches!(way, Way::SuccessAnyway) {
        true => ctx.mark("told success"),
        false => ctx.mark("told failure"),
    }
    ctx.mark("answered");
    Ok(())
}

/// Another tab of the same user, which touches the session again and again.
async fn other(ctx: Context) -> Ended {
    let mut touched = 0;
    loop {
        ctx.checkpoint("touch", &[&touched.to_string()]);
        touched = 1 - touched;
        change(&ctx, "sessions", by_id("s"), vec![set("touched", touched)]).await?;
    }
}

fn the_loop_ends() -> Property {
    Property::eventually("the loop ends", "keycloak/keycloak#5343", |view| see::marked(view, "answered") > 0)
}

fn acknowledged_is_stored() -> Property {
    Property::always("what is acknowledged is in the store", "keycloak/keycloak#5343", |view| {
        let stored = see::one(view, "sessions", "s").text("note") == "mine";
        see::kept(stored || see::marked(view, "told success") == 0, || {
            "the request answers success, and the update is gone".into()
        })
    })
    .where_marked(&["told success"], 1)
}

/// The faulty program, the trap, and the repaired program.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, about: &str, way| {
        scenario(name)
            .about(about)
            .source("https://github.com/keycloak/keycloak/pull/5343")
            .stores(documents(Documents::new().with("sessions", doc([("_id", "s".into()), ("touched", 0.into())]))))
            .client("request", move |ctx| request(ctx, way))
            .client("other tab", other)
            .properties([
                the_loop_ends(),
                acknowledged_is_stored(),
                no_program_fails(),
                somebody_is(&["told success"], "somebody is told success"),
            ])
    };
    vec![
        world(
            "RX-01 update given up in silence",
            "A request compares and replaces in a loop, and each time another has written in between.",
            Way::Endless,
        )
        .breaks("the loop ends")
        .fixed_by("RX-01 update given up in silence, repaired"),
        world(
            "RX-01 update given up in silence, trap: success after the last round",
            "A request that has lost its last round answers success.",
            Way::SuccessAnyway,
        )
        .breaks("what is acknowledged is in the store")
        .fixed_by("RX-01 update given up in silence, repaired"),
        world(
            "RX-01 update given up in silence, repaired",
            "A request that has lost its last round tells its caller.",
            Way::ToldOfFailure,
        )
        .property(somebody_is(&["told failure"], "somebody is told of the failure")),
    ]
}
