//! RX-05, republique-et-canton-de-geneve/RetroGemini#347: what the revision check rejects is never sent again.
//!
//! *Mechanism:* the client shows the user's ticket at once and sends the whole session with the revision that it has. The server is one
//! further, rejects, and pushes its state. The client takes that over; the ticket disappears without notice. *Smallest configuration:*
//! 2 clients, one key. *Source:* <https://github.com/republique-et-canton-de-geneve/RetroGemini/pull/347>. *Violated:* every action that was
//! shown as done is in the final state. *Repair:* pending actions are kept, and replayed on the state that was taken over.

use overtake_recipes::Value;
use overtake_recipes::store::doc;
use overtake_recipes::store::documents::{and, eq, inc, set};
use overtake_sim::program::Context;
use overtake_sim::stores::Documents;

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P18";

async fn user(ctx: Context, ticket: &'static str, replays: bool) -> Ended {
    let mut session = read(&ctx, "sessions", "retro").await?;
    ctx.mark_with("added", ticket);
    loop {
        let tickets = with(session.at("tickets").unwrap_or(&Value::Null), ticket);
        let same = and([by_id("retro"), eq("rev", session.int("rev"))]);
        if change(&ctx, "sessions", same, vec![set("tickets", tickets), inc("rev", 1)]).await? {
            return Ok(());
        }
        ctx.mark("rejected");
        session = read(&ctx, "sessions", "retro").await?;
        if !replays {
            return Ok(());
        }
    }
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, replays| {
        scenario(name)
            .about("A user's ticket is shown, rejected because another was faster, and dropped when the server's state is taken over.")
            .source("https://github.com/republique-et-canton-de-geneve/RetroGemini/pull/347")
            .stores(documents(Documents::new().with("sessions", doc([("_id", "retro".into()), ("rev", 0.into())]))))
            .client("user a", move |ctx| user(ctx, "a", replays))
            .client("user b", move |ctx| user(ctx, "b", replays))
            .properties([
                see::what_was_added_is_there("republique-et-canton-de-geneve/RetroGemini#347", |view| {
                    see::one(view, "sessions", "retro").at("tickets").cloned().unwrap_or_default()
                }),
                no_program_fails(),
                somebody_is(&["rejected"], "somebody is rejected"),
                everybody_ends(),
                everybody_is_done(),
            ])
    };
    vec![
        world("RX-05 rejected action forgotten", false)
            .breaks("what was added is there")
            .fixed_by("RX-05 rejected action forgotten, repaired"),
        world("RX-05 rejected action forgotten, repaired", true),
    ]
}
