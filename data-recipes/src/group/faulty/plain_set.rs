//! The group is written back with SET.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Expiration};

use crate::group::keys;

/// *Wrong:* two writers read the same list, each adds its own key, and the later SET drops the key of the earlier.
///
/// *Seen:* the posts name it as the problem that compare-and-set is for; peers call it the lost update.
///
/// *Cure:* UPDATE with the version that was read.
///
/// # Errors
/// When a node does not answer.
pub async fn add<E: DataEnvironment>(env: &E, group: &str, key: &str) -> Result<(), StoreError> {
    let dht = env.dht();
    env.checkpoint("faulty: plain set", &[group, key]);
    let mut list = keys(&dht, group).await?.map_or(Vec::new(), |(keys, _)| keys);
    list.push(key.to_owned());
    dht.set(group, list.into(), Expiration::Never).await
}
