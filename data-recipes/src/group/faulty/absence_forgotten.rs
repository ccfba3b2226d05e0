//! There is no case for a group that is absent.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Updated, Version};

use crate::group::keys;

/// *Wrong:* UPDATE of something that is not there never succeeds, and the loop, which only knows "somebody was faster", goes round
/// for ever.
///
/// *Seen:* the loop of the posts as it is written, slip 4.
///
/// *Cure:* PUT when there is no group; when that fails, somebody else has made it: read again.
///
/// # Errors
/// When a node does not answer.
pub async fn add<E: DataEnvironment>(env: &E, group: &str, key: &str) -> Result<(), StoreError> {
    let dht = env.dht();
    loop {
        env.checkpoint("faulty: absence forgotten", &[group, key]);
        let (mut list, version) = keys(&dht, group).await?.unwrap_or((Vec::new(), Version(0)));
        list.push(key.to_owned());
        if dht.update(group, list.into(), version).await? == Updated::Stored {
            return Ok(());
        }
    }
}
