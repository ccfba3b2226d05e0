//! *Wrong:* a lock for each order, and nothing else. No two messages about an order are handled at once; the later one is still handled
//! first when its consumer gets the lock first. *Seen:* own analysis, as what comes to mind first. *Cure:*
//! [`in_turn`](crate::orders::in_turn).

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Expiration, Value};

use super::read_change_replace;
use crate::lease::{acquire, release};

/// Handles the message under the lock of its order.
///
/// # Errors
/// What the stores answer.
pub async fn handle<E: DataEnvironment>(env: &E, message: &Value) -> Result<(), StoreError> {
    let (lock, token) = (format!("lock of {}", message.text("order")), env.unique_id());
    let kept = message.to_string();
    let held = env.keeping(&[&kept], acquire(env, &lock, &token, Expiration::Never)).await?;
    read_change_replace::handle(env, message).await?;
    release(env, &held).await
}
