//! AddToGroup by compare-and-set, and its reverse.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Expiration, Updated, Value};

use super::{GroupError, PAUSE, keys};

/// Adds a key to a group, which is made if it is absent. Whoever is not answered goes into the next round and finds the key there if
/// it was added.
///
/// # Errors
/// [`GroupError`] when no round of `rounds` succeeded.
pub async fn add<E: DataEnvironment>(env: &E, group: &str, key: &str, rounds: u32) -> Result<(), GroupError> {
    let with = |keys: &mut Vec<String>| {
        let absent = !keys.iter().any(|k| k == key);
        if absent {
            keys.push(key.to_owned());
        }
        absent
    };
    change(env, "group: add", group, key, rounds, with).await
}

/// Takes a key out of a group.
///
/// # Errors
/// [`GroupError`] when no round of `rounds` succeeded.
pub async fn remove<E: DataEnvironment>(env: &E, group: &str, key: &str, rounds: u32) -> Result<(), GroupError> {
    let without = |keys: &mut Vec<String>| {
        let before = keys.len();
        keys.retain(|k| k != key);
        keys.len() < before
    };
    change(env, "group: remove", group, key, rounds, without).await
}

/// Reads, changes, and writes back if nobody else has written since. `change` says whether there is anything to write.
async fn change<E: DataEnvironment>(
    env: &E,
    place: &'static str,
    group: &str,
    key: &str,
    rounds: u32,
    change: impl Fn(&mut Vec<String>) -> bool,
) -> Result<(), GroupError> {
    let dht = env.dht();
    let mut last = GroupError::TooManyRounds;
    for round in 0..rounds {
        let left = (rounds - round).to_string();
        env.checkpoint(place, &[group, key, &left]);
        let outcome = match keys(&dht, group).await {
            Err(error) => Err(error),
            Ok(read) => {
                let (mut list, version) = read.map_or((Vec::new(), None), |(keys, version)| (keys, Some(version)));
                if !change(&mut list) {
                    return Ok(());
                }
                match version {
                    Some(version) => {
                        dht.update(group, list.into(), version).await.map(|updated| updated == Updated::Stored)
                    }
                    None => dht.put(group, list.into(), Expiration::Never).await,
                }
            }
        };
        last = match outcome {
            Ok(true) => return Ok(()),
            Ok(false) => GroupError::TooManyRounds,
            Err(error @ (StoreError::Unknown | StoreError::Unavailable)) => {
                env.sleep(PAUSE).await;
                error.into()
            }
            Err(error) => return Err(error.into()),
        };
    }
    Err(last)
}

/// Stores an item, then adds its key: a crash between the two leaves an item that nobody finds.
///
/// # Errors
/// [`GroupError`] when the item was not stored, or no round of `rounds` succeeded.
pub async fn publish<E: DataEnvironment>(
    env: &E,
    group: &str,
    key: &str,
    item: Value,
    rounds: u32,
) -> Result<(), GroupError> {
    env.dht().set(key, item, Expiration::Never).await?;
    add(env, group, key, rounds).await
}

/// Takes the key out of the group, then deletes the item.
///
/// # Errors
/// [`GroupError`] when no round of `rounds` succeeded, or the item was not deleted.
pub async fn retract<E: DataEnvironment>(env: &E, group: &str, key: &str, rounds: u32) -> Result<(), GroupError> {
    remove(env, group, key, rounds).await?;
    env.dht().del(key).await?;
    Ok(())
}
