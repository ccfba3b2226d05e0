//! RM-04, get-convex/workos-authkit#73: the cursor passes an event that is not visible yet.
//!
//! *Mechanism:* the event that a user is deleted is delivered and acknowledged; its payload is dropped, and a poll of the provider's list is to
//! fetch it. The list does not show it yet. A later event is handled from its payload, and the cursor goes to that one. All later polls
//! ask for what comes after it; the first event is never applied. *Smallest configuration:* 1 consumer, a list that shows events
//! some time, a cursor. *Source:* <https://github.com/get-convex/workos-authkit/pull/73>. *Violated:* every acknowledged event is applied
//! some time. *Repair:* the payload that was delivered is applied.
//!
//! Translated: the list is a collection in which the provider puts each event some time after its delivery. It says when both are
//! there; then there is one more poll.

use overtake_recipes::store::{Change, DataEnvironment, Documents as _, Filter, Messages as _, Value, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::{Documents, Messages, Stores};

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P11";

const EVENTS: [(i64, &str); 2] = [(1, "deleted"), (2, "created")];

fn event(number: i64, kind: &str) -> Value {
    doc([("number", number.into()), ("kind", kind.into())])
}

/// Delivers both events in their order; each is visible in the list some time.
async fn provider(ctx: Context) -> Ended {
    let list = ctx.documents();
    let mut visible = Vec::new();
    for (number, kind) in EVENTS {
        ctx.messages().send("webhooks", event(number, kind), 0).await?;
        visible.push(list.insert("events", event(number, kind)));
    }
    for inserted in futures_util::future::join_all(visible).await {
        inserted?;
    }
    ctx.messages().send("webhooks", event(3, "all visible"), 0).await
}

/// Applies an event, and moves the cursor to it.
async fn apply(ctx: &Context, event: &Value) -> Ended {
    let number = event.int("number");
    let applied = Change::AddToSet("applied".into(), number.into());
    let changes = vec![applied, Change::Max("cursor".into(), number.into())];
    change(ctx, "users", by_id("users"), changes).await.map(drop)
}

/// Applies what the list shows after the cursor.
async fn poll(ctx: &Context) -> Ended {
    let cursor = read(ctx, "users", "users").await?.int("cursor");
    for event in ctx.documents().find("events", Filter::Gt("number".into(), cursor.into())).await? {
        apply(ctx, &event).await?;
    }
    Ok(())
}

async fn consumer(ctx: Context, applies_the_payload: bool) -> Ended {
    for _ in 0..=EVENTS.len() {
        let message = ctx.messages().receive("webhooks").await?;
        match message.body.text("kind") {
            "created" => apply(&ctx, &message.body).await?,
            "deleted" if applies_the_payload => apply(&ctx, &message.body).await?,
            _ => poll(&ctx).await?,
        }
        ctx.messages().acknowledge("webhooks", &message).await?;
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, applies_the_payload| {
        let users = doc([("_id", "users".into()), ("cursor", 0.into()), ("applied", Value::List(Vec::new()))]);
        scenario(name)
            .about("A webhook only wakes a poll of the provider's list, in which events are visible some time after their delivery.")
            .source("https://github.com/get-convex/workos-authkit/pull/73")
            .stores(Stores {
                documents: Some(Documents::new().with("users", users)),
                messages: Some(Messages::default()),
                ..Stores::default()
            })
            .client("provider", provider)
            .client("consumer", move |ctx| consumer(ctx, applies_the_payload))
            .properties([
                Property::at_rest("each acknowledged event is applied", "get-convex/workos-authkit#73", |view| {
                    let users = see::one(view, "users", "users");
                    let (applied, cursor) = (see::numbers(&users, "applied"), users.int("cursor"));
                    match EVENTS.iter().find(|(number, _)| !applied.contains(number)) {
                        None => Ok(()),
                        Some((number, kind)) => Err(format!(
                            "the cursor stands at {cursor}, and event {number} (the user is {kind}) was acknowledged and never applied"
                        )),
                    }
                }),
                no_program_fails(),
                Property::sometimes("an event is acknowledged before it is visible", |view| {
                    let queues = view.stores().messages.as_ref().expect("the world has queues");
                    let gone = queues.sent("webhooks") > 0
                        && queues.unacknowledged("webhooks").all(|message| message.id > 0);
                    gone && see::all(view, "events").is_empty()
                }),
                everybody_is_done(),
            ])
    };
    vec![
        world("RM-04 cursor skips an event", false)
            .breaks("each acknowledged event is applied")
            .fixed_by("RM-04 cursor skips an event, repaired"),
        world("RM-04 cursor skips an event, repaired", true),
    ]
}
