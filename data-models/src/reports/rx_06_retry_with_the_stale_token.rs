//! RX-06, UNC-Libraries/box-c#908: a retry carries the token that has just failed.
//!
//! *Mechanism:* the client gets an object with its modification token; the update with the token is refused; the retry uses the same object
//! and token, and is refused for ever. *Smallest configuration:* 2 clients, one key. *Source:*
//! <https://github.com/UNC-Libraries/box-c/pull/908>. *Violated:* a retry is made at another version than the one that has failed.
//! *Repair:* a fresh copy before each retry, and a bound on their number.
//!
//! Translated: the token is the document's version. Three tries are made.

use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{and, eq, inc};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P18";

const TRIES: u32 = 3;

async fn update(ctx: Context, fetches: bool) -> Ended {
    let mut token = read(&ctx, "objects", "o").await?.int("token");
    for _ in 0..TRIES {
        ctx.mark_with("sends", &token.to_string());
        let same = and([by_id("o"), eq("token", token)]);
        if change(&ctx, "objects", same, vec![inc("token", 1)]).await? {
            ctx.mark("updated");
            return Ok(());
        }
        ctx.unmark("sends");
        ctx.mark_with("was refused", &token.to_string());
        if fetches {
            token = read(&ctx, "objects", "o").await?.int("token");
        }
    }
    ctx.mark("gave up");
    Ok(())
}

fn a_retry_has_another_version() -> Property {
    Property::always("a retry has another version", "UNC-Libraries/box-c#908", |view| {
        for client in see::who(view, "was refused") {
            let (refused, sends) = (see::shown(&client, "was refused"), see::shown(&client, "sends"));
            see::kept(refused != sends, || {
                format!("{} was refused at version {}, and sends that again", client.name(), sends.unwrap_or_default())
            })?;
        }
        Ok(())
    })
    .where_marked(&["was refused"], 1)
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, fetches| {
        scenario(name)
            .about("An update is refused because another was faster. It is tried again with what it was refused for.")
            .source("https://github.com/UNC-Libraries/box-c/pull/908")
            .stores(documents(Documents::new().with("objects", doc([("_id", "o".into()), ("token", 0.into())]))))
            .clients(2, move |ctx| update(ctx, fetches))
            .properties([
                a_retry_has_another_version(),
                no_program_fails(),
                somebody_is(&["was refused"], "somebody is refused"),
                everybody_is_done(),
            ])
    };
    vec![
        world("RX-06 retry with the stale token", false)
            .breaks("a retry has another version")
            .fixed_by("RX-06 retry with the stale token, repaired"),
        world("RX-06 retry with the stale token, repaired", true),
    ]
}
