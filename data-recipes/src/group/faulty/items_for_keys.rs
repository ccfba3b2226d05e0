//! Items are written back where keys belong.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Updated, Value};

use crate::group::{items, keys};

/// *Wrong:* the list that is changed is that of GetGroup, which are items. After the first add the group holds data instead of keys,
/// and nobody finds anything under them.
///
/// *Seen:* the name `GetGroupWithVersion` in the posts suggests it, slip 3.
///
/// *Cure:* read the keys.
///
/// # Errors
/// When the node of the group does not answer.
pub async fn add<E: DataEnvironment>(env: &E, group: &str, key: &str) -> Result<(), StoreError> {
    let dht = env.dht();
    loop {
        env.checkpoint("faulty: items for keys", &[group, key]);
        let Some((_, version)) = keys(&dht, group).await? else { return Err(StoreError::BadRequest) };
        let mut list = items(&dht, group).await?;
        list.push(key.into());
        if dht.update(group, Value::List(list), version).await? == Updated::Stored {
            return Ok(());
        }
    }
}
