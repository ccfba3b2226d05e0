//! Messages about orders, of several priorities, handled by several consumers at the same time.
//!
//! A message of a higher priority overtakes one of a lower priority that was sent before it, and while one consumer is at work on one
//! message about an order another may be at work on the next. So the queue's order means nothing for one order: the sender numbers
//! the messages of each order from 1, and the order's document knows how far it is.
//!
//! Two cures, both with the one atomic step that a document store has. Where a later message makes the earlier ones superfluous,
//! those are ignored ([`superseding`]). Where each must take effect, one that comes too early is kept in the document until its
//! turn ([`in_turn`]). A lock for each order is none: it keeps two from being handled at once, and lets the later one go first
//! ([`faulty::lock_alone`]).
//!
//! Source: the slides on race conditions: messages of different priorities are concurrent.

pub mod faulty;

use overtake_recipes::StoreError;
use overtake_recipes::store::documents::{and, eq, set};
use overtake_recipes::store::{Change, DataEnvironment, Documents, Filter, Messages, Value, doc};

/// The queue of the messages: `{order, number, what}`.
pub const QUEUE: &str = "picking";

/// The collection of the orders: `{_id, number, early, done}`: the number of the last message that took effect, messages that came too
/// early, and what was done.
pub const ORDERS: &str = "orders";

/// An order to which nothing has happened.
pub fn order(id: &str) -> Value {
    let none = || Value::List(Vec::new());
    doc([("_id", id.into()), ("number", 0.into()), ("early", none()), ("done", none())])
}

/// The message of that number about an order.
pub fn message(order: &str, number: i64, what: &str) -> Value {
    doc([("order", order.into()), ("number", number.into()), ("what", what.into())])
}

/// Handles messages for ever: each is acknowledged when it is handled.
///
/// # Errors
/// What handling it, or the queue, answers.
pub async fn consume<E: DataEnvironment>(
    env: &E,
    mut handle: impl AsyncFnMut(&Value) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    loop {
        env.checkpoint("orders: next", &[]);
        let message = env.messages().receive(QUEUE).await?;
        // What handling the message checkpoints must not forget which message is to be acknowledged.
        let kept = format!("{} {}", message.id, message.receipt);
        env.keeping(&[&kept], handle(&message.body)).await?;
        env.messages().acknowledge(QUEUE, &message).await?;
    }
}

fn of(message: &Value) -> Filter {
    eq("_id", message.text("order"))
}

fn done(message: &Value) -> Vec<Change> {
    let what = message.text("what").into();
    vec![set("number", message.int("number")), Change::Push("done".into(), what)]
}

/// The message takes effect unless a later one has.
///
/// # Errors
/// What the store answers.
pub async fn superseding<E: DataEnvironment>(env: &E, message: &Value) -> Result<(), StoreError> {
    let older = Filter::Lt("number".into(), message.int("number").into());
    env.documents().update_one(ORDERS, and([of(message), older]), done(message)).await.map(drop)
}

/// The message takes effect after those before it. One that comes too early waits in the order's document; whoever handles the one
/// before it, handles it as well.
///
/// # Errors
/// What the store answers.
pub async fn in_turn<E: DataEnvironment>(env: &E, message: &Value) -> Result<(), StoreError> {
    let orders = env.documents();
    let number = message.int("number");
    let early = |message: &Value| Change::AddToSet("early".into(), message.clone());
    let too_early = Filter::Lt("number".into(), (number - 1).into());
    orders.update_one(ORDERS, and([of(message), too_early]), vec![early(message)]).await?;
    // It waits now, or it is its turn, or it has taken effect already. From here on it is like any that waits.
    let mut next = Some(message.clone());
    while let Some(message) = next {
        let its_turn = and([of(&message), eq("number", message.int("number") - 1)]);
        let mut changes = done(&message);
        changes.push(Change::Pull("early".into(), message.clone()));
        orders.update_one(ORDERS, its_turn, changes).await?;
        let order = orders.find_one(ORDERS, of(&message)).await?.unwrap_or_default();
        let waiting = order.at("early").and_then(Value::as_list).unwrap_or_default();
        next = waiting.iter().find(|waiting| waiting.int("number") == order.int("number") + 1).cloned();
    }
    Ok(())
}
