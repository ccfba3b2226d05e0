//! CA-14, CJSCommonPlatform/microservice_framework_version_6#356: an append asks for the newest version itself.
//!
//! *Mechanism:* the client reads the stream and decides on that state; another appends; the client's append asks the store for the newest
//! version and appends after that, so the optimistic check compares with a version on which nothing was decided. *Smallest
//! configuration:* 2 clients, one stream. *Source:*
//! <https://github.com/CJSCommonPlatform/microservice_framework_version_6/issues/356>. *Violated:* an event is decided on the state
//! right before it. *Repair:* the version of the first read is carried to the append.
//!
//! Translated: the stream is a document with a version and a list of events; an event says on how many events it was decided.

use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{and, eq, inc};
use overtake_recipes::{Environment, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P24";

async fn append(ctx: Context, carries: bool) -> Ended {
    loop {
        ctx.checkpoint("append", &[]);
        let decided_on = read(&ctx, "streams", "s").await?.int("version");
        let mut expected = decided_on;
        if !carries {
            expected = read(&ctx, "streams", "s").await?.int("version");
        }
        let at_expected = and([by_id("s"), eq("version", expected)]);
        if change(&ctx, "streams", at_expected, vec![inc("version", 1), push("events", decided_on)]).await? {
            ctx.mark("appended");
            return Ok(());
        }
        ctx.mark("decides again");
    }
}

fn decided_on_the_state_before() -> Property {
    Property::always(
        "an event is decided on the state before it",
        "CJSCommonPlatform/microservice_framework_version_6#356",
        |view| {
            let stream = see::one(view, "streams", "s");
            let events = stream.at("events").and_then(Value::as_list).unwrap_or_default();
            let wrong = events.iter().zip(0..).find(|(decided, at)| decided.as_int() != Some(*at));
            see::kept(wrong.is_none(), || {
                let (decided, at) = wrong.expect("it is there");
                format!("an event stands after {at} others and was decided on {decided}")
            })
        },
    )
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, carries| {
        scenario(name)
            .about("Two writers decide on the same state of a stream; the second appends after the first's event as if it had seen it.")
            .source("https://github.com/CJSCommonPlatform/microservice_framework_version_6/issues/356")
            .stores(documents(Documents::new().with("streams", doc([("_id", "s".into()), ("version", 0.into())]))))
            .clients(2, move |ctx| append(ctx, carries))
            .properties([
                decided_on_the_state_before(),
                no_program_fails(),
                somebody_is(&["decides again"], "somebody decides again"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("CA-14 append at the newest version", false)
            .breaks("an event is decided on the state before it")
            .fixed_by("CA-14 append at the newest version, repaired"),
        world("CA-14 append at the newest version, repaired", true),
    ]
}
