//! *Wrong:* reads the order, changes it, writes it back: of two messages that are handled at the same time one is lost, and the later one
//! may be handled first. *Seen:* store processing; OptimalBits/bull#347. *Cure:* [`in_turn`](crate::orders::in_turn),
//! [`superseding`](crate::orders::superseding).

use overtake_recipes::StoreError;
use overtake_recipes::store::documents::eq;
use overtake_recipes::store::{DataEnvironment, Documents, Value};

use crate::orders::ORDERS;

/// Handles the message.
///
/// # Errors
/// What the store answers.
pub async fn handle<E: DataEnvironment>(env: &E, message: &Value) -> Result<(), StoreError> {
    let this = || eq("_id", message.text("order"));
    let mut order = env.documents().find_one(ORDERS, this()).await?.unwrap_or_default();
    let mut done = order.at("done").and_then(Value::as_list).unwrap_or_default().to_vec();
    done.push(message.text("what").into());
    order.set("done", done);
    order.set("number", message.int("number"));
    env.documents().replace_one(ORDERS, this(), order).await.map(drop)
}
