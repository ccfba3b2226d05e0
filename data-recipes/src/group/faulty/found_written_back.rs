//! What GetGroup has found is written back.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Updated};

use crate::group::{Member, keys, members};

/// *Wrong:* a key under which nothing was found is taken for deleted and dropped from the group. Its node was down: the item is
/// there, and in no group any more.
///
/// *Seen:* slip 2 (M56).
///
/// *Cure:* write keys back, never what was found under them.
///
/// # Errors
/// When the node of the group does not answer.
pub async fn add<E: DataEnvironment>(env: &E, group: &str, key: &str) -> Result<(), StoreError> {
    let dht = env.dht();
    loop {
        env.checkpoint("faulty: found written back", &[group, key]);
        let Some((_, version)) = keys(&dht, group).await? else { return Err(StoreError::BadRequest) };
        let found = members(&dht, group).await?.into_iter().filter(|(_, member)| matches!(member, Member::Item(_)));
        let mut list: Vec<String> = found.map(|(key, _)| key).collect();
        list.push(key.to_owned());
        if dht.update(group, list.into(), version).await? == Updated::Stored {
            return Ok(());
        }
    }
}
