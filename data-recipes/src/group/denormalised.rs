//! A group that holds the items themselves: one call reads it, and an article that changes has to be changed in each of them.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Expiration, Updated, Value};

/// The items of a group, in one call.
///
/// # Errors
/// When its node does not answer.
pub async fn items<D: Dht>(dht: &D, group: &str) -> Result<Vec<Value>, StoreError> {
    Ok(dht.get(group).await?.map_or(Vec::new(), |item| item.data.as_list().unwrap_or_default().to_vec()))
}

/// Changes an article that is stored under its key and copied into groups: first the article, then the copies, one after the other.
/// The copies are stale until then, for ever if the writer dies on the way, or if a group is not named.
///
/// # Errors
/// When a node does not answer.
pub async fn change<E: DataEnvironment>(
    env: &E,
    key: &str,
    old: &Value,
    new: &Value,
    groups: &[&str],
) -> Result<(), StoreError> {
    let dht = env.dht();
    dht.set(key, new.clone(), Expiration::Never).await?;
    for group in groups {
        loop {
            env.checkpoint("denormalised: change", &[key, group]);
            let Some(read) = dht.get(group).await? else { break };
            let mut copies = read.data.as_list().unwrap_or_default().to_vec();
            copies.iter_mut().filter(|copy| *copy == old).for_each(|copy| *copy = new.clone());
            if dht.update(group, Value::List(copies), read.version).await? != Updated::Moved {
                break;
            }
        }
    }
    Ok(())
}
