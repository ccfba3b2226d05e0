//! A lease for each group, taken in the order of their names, and versions as fencing numbers.
//!
//! The order keeps two clients from waiting for each other. A lease may be over while its holder still writes, so every write is an UPDATE by
//! a version that was read under the lease: it is refused once a later holder has written. A holder that dies in the middle leaves the groups
//! apart; who is granted the leases next finds them so, and copies the first over the second before anything else. Ten calls.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Version};

use super::{Lists, Pair, pause, swap};
use crate::lease::{self, Held, LIFE};

/// The lease of a group.
pub(super) fn lease_of(group: &str) -> String {
    format!("lease of {group}")
}

/// Both leases, in the order of the names.
pub(super) async fn enter<E: DataEnvironment>(
    env: &E,
    pair: Pair<'_>,
    token: &str,
) -> Result<(Held, Held), StoreError> {
    let mut names = [pair.first, pair.second];
    names.sort_unstable();
    let one = lease::acquire(env, &lease_of(names[0]), token, LIFE).await?;
    let version = one.version.0.to_string();
    let other = env.keeping(&[&version], lease::acquire(env, &lease_of(names[1]), token, LIFE)).await?;
    Ok((one, other))
}

pub(super) async fn leave<E: DataEnvironment>(env: &E, (one, other): (Held, Held)) -> Result<(), StoreError> {
    lease::release(env, &other).await?;
    lease::release(env, &one).await
}

/// Adds a key to both groups. `token` is what nobody else uses.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn add<E: DataEnvironment>(env: &E, pair: Pair<'_>, key: &str, token: &str) -> Result<(), StoreError> {
    let held = enter(env, pair, token).await?;
    add_under(env, pair, key, held).await
}

/// The same with leases that are held.
pub(super) async fn add_under<E: DataEnvironment>(
    env: &E,
    pair: Pair<'_>,
    key: &str,
    held: (Held, Held),
) -> Result<(), StoreError> {
    let versions = [held.0.version.0.to_string(), held.1.version.0.to_string()];
    loop {
        env.checkpoint("locked: add", &[pair.first, key, &versions[0], &versions[1]]);
        let round = once(env, pair, Some(key)).await;
        if let Some(Some(_)) = pause(env, round).await? {
            break;
        }
    }
    leave(env, held).await
}

/// One round: copies the first group over the second if they differ, or makes the change. `None` when another round is needed.
async fn once<E: DataEnvironment>(env: &E, pair: Pair<'_>, key: Option<&str>) -> Result<Option<Lists>, StoreError> {
    let dht = env.dht();
    let (second, of_second) = group(&dht, pair.second).await?;
    let (mut first, of_first) = group(&dht, pair.first).await?;
    if first != second {
        swap(&dht, pair.second, first.into(), of_second, pair.life).await?;
        return Ok(None);
    }
    let Some(key) = key.filter(|key| !first.iter().any(|k| k == key)) else { return Ok(Some((first, second))) };
    first.push(key.to_owned());
    let done = swap(&dht, pair.first, first.clone().into(), of_first, pair.life).await?
        && swap(&dht, pair.second, first.clone().into(), of_second, pair.life).await?;
    Ok(done.then(|| (first.clone(), first)))
}

async fn group<D: Dht>(dht: &D, key: &str) -> Result<(Vec<String>, Option<Version>), StoreError> {
    let item = dht.get(key).await?;
    Ok((item.as_ref().map_or(Vec::new(), |item| item.data.strings()), item.map(|item| item.version)))
}

/// Both groups, read under the leases.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn read<E: DataEnvironment>(env: &E, pair: Pair<'_>, token: &str) -> Result<Lists, StoreError> {
    let held = enter(env, pair, token).await?;
    let versions = [held.0.version.0.to_string(), held.1.version.0.to_string()];
    let lists = loop {
        env.checkpoint("locked: read", &[pair.first, &versions[0], &versions[1]]);
        let round = once(env, pair, None).await;
        if let Some(Some(lists)) = pause(env, round).await? {
            break lists;
        }
    };
    leave(env, held).await?;
    Ok(lists)
}
