//! A round that follows a lost answer adds the key without looking.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Expiration, Updated};

use crate::group::{PAUSE, keys};

/// *Wrong:* the UPDATE was applied and its answer was lost; the next round adds the key a second time.
///
/// *Seen:* the loop of the posts has no check, slip 6.
///
/// *Cure:* add only if the key is absent: the change is idempotent then.
///
/// # Errors
/// When a node cannot be reached.
pub async fn add<E: DataEnvironment>(env: &E, group: &str, key: &str) -> Result<(), StoreError> {
    let dht = env.dht();
    loop {
        env.checkpoint("faulty: blind retry", &[group, key]);
        let written = match keys(&dht, group).await {
            Ok(Some((mut list, version))) => {
                list.push(key.to_owned());
                dht.update(group, list.into(), version).await.map(|updated| updated == Updated::Stored)
            }
            Ok(None) => dht.put(group, vec![key].into(), Expiration::Never).await,
            Err(error) => Err(error),
        };
        match written {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(StoreError::Unknown) => env.sleep(PAUSE).await,
            Err(error) => return Err(error),
        }
    }
}
