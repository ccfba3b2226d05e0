//! What the lease protects is written without a number.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Expiration, Value, doc};

/// *Wrong:* the lease is over before the write arrives. The next holder has written already, and is overwritten.
///
/// *Seen:* `semantics §6.3`; <https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html>.
///
/// *Cure:* a fencing number that the record compares.
///
/// # Errors
/// When the node does not answer.
pub async fn write<E: DataEnvironment>(env: &E, record: &str, value: Value, number: i64) -> Result<(), StoreError> {
    let data = doc([("number", number.into()), ("value", value)]);
    env.dht().set(record, data, Expiration::Never).await
}
