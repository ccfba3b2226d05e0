//! RM-01, paypal/mirakl-hyperwallet-connector#35: webhooks out of sync.
//!
//! *Mechanism:* event 1 says that a verification is required, event 2 that it is done. Event 2 is delivered first and makes the seller
//! verified; event 1 then makes it rejected. *Smallest configuration:* 1 consumer, one key, 2 messages in any order. *Source:*
//! <https://github.com/paypal/mirakl-hyperwallet-connector/issues/35>. *Violated:* the stored status is that of the event of the
//! greatest creation time that was seen. *Repair:* the time of the last event is kept, and older ones ignored, in one atomic step.

use overtake_recipes::store::documents::{and, set};
use overtake_recipes::store::{DataEnvironment, Documents as _, Filter, Messages as _, doc};
use overtake_sim::program::Context;
use overtake_sim::stores::{Documents, Messages, Stores};

use super::see;
use super::steps::*;
use crate::property::*;
use overtake_models::{Scenario, scenario};

/// Its pattern.
pub const PATTERN: &str = "P11";

const EVENTS: [(i64, &str); 2] = [(1725, "rejected"), (1727, "verified")];

/// Sends both events; the wires put them into any order.
async fn provider(ctx: Context) -> Ended {
    let queues = ctx.messages();
    let sent = EVENTS.map(|(time, status)| {
        let event = doc([("time", time.into()), ("status", status.into())]);
        queues.send("webhooks", event, 0)
    });
    let [first, second] = sent;
    let (first, second) = futures_util::future::join(first, second).await;
    first.and(second)
}

async fn connector(ctx: Context, ignores_older: bool) -> Ended {
    for _ in EVENTS {
        let event = ctx.messages().receive("webhooks").await?;
        let (time, status) = (event.body.int("time"), event.body.text("status"));
        let newer = if ignores_older { less("time", time) } else { Filter::All };
        let changes = vec![set("status", status), set("time", time)];
        ctx.documents().update_one("sellers", and([by_id("seller"), newer]), changes).await?;
        ctx.messages().acknowledge("webhooks", &event).await?;
    }
    Ok(())
}

/// The faulty program and the repaired one.
pub fn scenarios() -> Vec<Scenario> {
    let world = |name: &str, ignores_older| {
        let seller = doc([("_id", "seller".into()), ("status", "new".into()), ("time", 0.into())]);
        scenario(name)
            .about("Two events about one seller are delivered in any order, and each sets the seller's status.")
            .source("https://github.com/paypal/mirakl-hyperwallet-connector/issues/35")
            .stores(Stores {
                documents: Some(Documents::new().with("sellers", seller)),
                messages: Some(Messages::default()),
                ..Stores::default()
            })
            .client("provider", provider)
            .client("connector", move |ctx| connector(ctx, ignores_older))
            .properties([
                Property::at_rest(
                    "the status is that of the latest event",
                    "mirakl-hyperwallet-connector#35",
                    |view| {
                        let status = see::one(view, "sellers", "seller").text("status").to_owned();
                        see::kept(status == "verified", || {
                            format!("both events are handled, the later says verified, and the seller is {status}")
                        })
                    },
                ),
                no_program_fails(),
                Property::sometimes("the later event comes first", |view| {
                    let queues = view.stores().messages.as_ref().expect("the world has queues");
                    queues
                        .ready("webhooks")
                        .first()
                        .is_some_and(|event| event.body.at("time").and_then(|time| time.as_int()) == Some(1727))
                }),
                everybody_is_done(),
            ])
    };
    vec![
        world("RM-01 webhooks out of sync", false)
            .breaks("the status is that of the latest event")
            .fixed_by("RM-01 webhooks out of sync, repaired"),
        world("RM-01 webhooks out of sync, repaired", true),
    ]
}
