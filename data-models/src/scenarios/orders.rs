//! Messages about one order, of different priorities, handled at the same time.

use overtake_data_recipes::orders::{ORDERS, QUEUE, consume, faulty, in_turn, message, order, superseding};
use overtake_models::{Scenario, scenario};
use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Messages as _, Value};
use overtake_sim::program::Context;
use overtake_sim::stores::{Dht, Documents, Messages, Stores, outside};
use overtake_sim::world::View;

use crate::property::*;

const SOURCE: &str = "the slides on race conditions: messages of different priorities are concurrent";
const IN_ORDER: &str = "messages take effect in their order";
const ONCE: &str = "a message takes effect once";

/// How a message is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    ReadChangeReplace,
    LockAlone,
    Superseding,
    InTurn,
}

/// What is to be done, with priorities: the cancellation is more urgent.
const SENT: [(&str, u8); 2] = [("pick", 1), ("cancel", 9)];

async fn shop(ctx: Context) -> Result<(), StoreError> {
    for (number, (what, priority)) in (1..).zip(SENT) {
        ctx.messages().send(QUEUE, message("o1", number, what), priority).await?;
    }
    Ok(())
}

async fn consumer(ctx: Context, way: Way) -> Result<(), StoreError> {
    consume(&ctx, async |message: &Value| match way {
        Way::ReadChangeReplace => faulty::read_change_replace::handle(&ctx, message).await,
        Way::LockAlone => faulty::lock_alone::handle(&ctx, message).await,
        Way::Superseding => superseding(&ctx, message).await,
        Way::InTurn => in_turn(&ctx, message).await,
    })
    .await
}

/// The order, as the store has it.
fn the_order(view: &View<'_>) -> Value {
    let store = view.stores().documents.as_ref().expect("the world has a document store");
    store.one(ORDERS, "_id", "o1").cloned().map(outside).unwrap_or_default()
}

fn done(view: &View<'_>) -> Vec<String> {
    the_order(view).at("done").map_or(Vec::new(), Value::strings)
}

/// Nothing is done after what was sent later.
fn in_their_order() -> Property {
    Property::always(IN_ORDER, SOURCE, |view| {
        let done = done(view);
        let place = |done: &String| SENT.iter().position(|(what, _)| what == done);
        match done.is_sorted_by_key(place) {
            true => Ok(()),
            false => {
                let sent = SENT.map(|(what, _)| what).join(", then ");
                Err(format!("the messages to the order were: {sent}; what happened was: {}", done.join(", then ")))
            }
        }
    })
}

/// Nothing is done twice.
fn once() -> Property {
    Property::always(ONCE, "the queue delivers at least once", |view| {
        let done = done(view);
        let twice = SENT.iter().find(|(what, _)| done.iter().filter(|done| what == done).count() > 1);
        match twice {
            None => Ok(()),
            Some((what, _)) => Err(format!("the message to {what} the order has taken effect twice")),
        }
    })
}

/// When all messages are handled, what the last one says has happened.
fn the_last_takes_effect(all: bool) -> Property {
    Property::at_rest("what was sent is done", SOURCE, move |view| {
        let done = done(view);
        let wanted = if all { SENT.len() } else { 1 };
        match done.last().map(String::as_str) == Some("cancel") && done.len() >= wanted {
            true => Ok(()),
            false => Err(format!("all messages are handled, and this was done: {}", done.join(", "))),
        }
    })
}

fn world(name: &str, about: &str, way: Way) -> Scenario {
    let stores = Stores {
        documents: Some(Documents::new().with(ORDERS, order("o1"))),
        messages: Some(Messages::default()),
        dht: (way == Way::LockAlone).then(|| Dht::seed(1)),
        ..Stores::default()
    };
    scenario(name)
        .about(about)
        .source(SOURCE)
        .stores(stores)
        .client("shop", shop)
        .clients(2, move |ctx| consumer(ctx, way))
        .properties([
            in_their_order(),
            once(),
            the_last_takes_effect(way != Way::Superseding),
            no_program_fails(),
            Property::sometimes("both messages are handled", |view| {
                let queues = view.stores().messages.as_ref().expect("the world has queues");
                queues.sent(QUEUE) == 2 && queues.unacknowledged(QUEUE).next().is_none()
            }),
        ])
}

/// What is faulty, what looks like a cure, and two that are; then with a queue that takes a consumer for dead.
pub fn scenarios() -> Vec<Scenario> {
    let about = "An order is sent to be picked, and then to be cancelled, which is more urgent. Two consumers take messages from one queue.";
    let in_turn = |name: &str, about: &str| {
        world(name, about, Way::InTurn).property(Property::sometimes("a message comes too early", |view| {
            the_order(view).at("early").and_then(Value::as_list).is_some_and(|early| !early.is_empty())
        }))
    };
    let superseding = |name: &str, about: &str| {
        world(name, about, Way::Superseding)
            .property(Property::sometimes("a message is superfluous", |view| done(view) == ["cancel"]))
            .property(Property::sometimes("both take effect", |view| done(view).len() == 2))
    };
    vec![
        world("urgent message overtakes", about, Way::ReadChangeReplace)
            .breaks(IN_ORDER)
            .fixed_by("urgent message, each in its turn"),
        world(
            "urgent message, a lock alone",
            "The same with a lock for each order: no two messages are handled at once, and the urgent one still goes first.",
            Way::LockAlone,
        )
        .breaks(IN_ORDER)
        .fixed_by("urgent message, each in its turn"),
        in_turn(
            "urgent message, each in its turn",
            "Messages about an order are numbered. One that comes too early waits in the order's document.",
        ),
        superseding(
            "urgent message, the older is ignored",
            "Messages about an order are numbered. One that comes after a later one is superfluous here, and is ignored.",
        ),
        world(
            "message delivered again",
            "A consumer is slow, and the queue takes it for dead: another one gets the same message.",
            Way::ReadChangeReplace,
        )
        .redeliveries(1)
        .breaks(ONCE)
        .fixed_by("message delivered again, each in its turn"),
        in_turn(
            "message delivered again, each in its turn",
            "The order's document knows how far it is, so a message that has taken effect does nothing when it comes again.",
        )
        .redeliveries(1),
        superseding(
            "message delivered again, the older is ignored",
            "A message that has taken effect is as old as the order itself, and is ignored.",
        )
        .redeliveries(1),
    ]
}
