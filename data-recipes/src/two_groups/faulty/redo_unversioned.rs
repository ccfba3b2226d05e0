//! The first group is copied over the second by SET.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht};

use crate::two_groups::redo::{Group, group, written};
use crate::two_groups::{Pair, pause, swap};

/// *Wrong:* a copy that comes late takes back what was copied since.
///
/// *Seen:* a replica that applies what arrives, without a look at what it has.
///
/// *Cure:* the second group is written by its version, too.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn add<E: DataEnvironment>(env: &E, pair: Pair<'_>, key: &str) -> Result<(), StoreError> {
    loop {
        env.checkpoint("redo: add", &[pair.first, key]);
        let round = once(env, pair, key).await;
        if pause(env, round).await? == Some(true) {
            return Ok(());
        }
    }
}

async fn once<E: DataEnvironment>(env: &E, pair: Pair<'_>, key: &str) -> Result<bool, StoreError> {
    let dht = env.dht();
    let second = group(&dht, pair.second).await?;
    let Group { mut keys, mut number, item } = group(&dht, pair.first).await?;
    if second.number == number {
        if keys.iter().any(|k| k == key) {
            return Ok(true);
        }
        keys.push(key.to_owned());
        number += 1;
        if !swap(&dht, pair.first, written(&keys, number), item.map(|item| item.version), pair.life).await? {
            return Ok(false);
        }
    }
    dht.set(pair.second, written(&keys, number), pair.life).await?;
    Ok(keys.iter().any(|k| k == key))
}
