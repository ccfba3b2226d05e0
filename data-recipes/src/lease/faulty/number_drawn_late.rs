//! The fencing number is drawn from a counter after the grant.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Expiration};

use crate::lease::{Held, LIFE, acquire};

/// *Wrong:* a holder is paused between the grant and the draw. Its lease expires, the next one is granted and draws, and then the former
/// holder draws a higher number: its writes are taken, and those of the rightful holder are refused.
///
/// *Seen:* wherever a lock and a counter are two calls.
///
/// *Cure:* a number that comes with the grant: the version of the lease.
///
/// # Errors
/// When a node does not answer.
pub async fn acquire_and_draw<E: DataEnvironment>(
    env: &E,
    key: &str,
    counter: &str,
    token: &str,
) -> Result<(Held, i64), StoreError> {
    let held = acquire(env, key, token, LIFE).await?;
    let dht = env.dht();
    loop {
        env.checkpoint("faulty: draw", &[counter, token, &held.version.0.to_string()]);
        if let Some(number) = dht.increment(counter, 1).await? {
            return Ok((held, number));
        }
        dht.put(counter, 0.into(), Expiration::Never).await?;
    }
}
