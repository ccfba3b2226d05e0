//! Compare-and-set on one group, then on the other.

use overtake_recipes::StoreError;
use overtake_recipes::store::DataEnvironment;

use crate::group::{GroupError, add, keys};
use crate::two_groups::{Lists, Pair};

/// *Wrong:* each group is right by itself. Two clients that change the first in one order change the second in the other, and a client that
/// dies between the two leaves a key in one group only.
///
/// *Seen:* where the posts stop, and say that versions alone are no help there; slip 13.
///
/// *Cure:* any of [`crate::two_groups`].
///
/// # Errors
/// [`GroupError`] when no round of `rounds` succeeded.
pub async fn add_to_both<E: DataEnvironment>(
    env: &E,
    pair: Pair<'_>,
    key: &str,
    rounds: u32,
) -> Result<(), GroupError> {
    add(env, pair.first, key, rounds).await?;
    add(env, pair.second, key, rounds).await
}

/// Both groups, each as it is at some moment.
///
/// # Errors
/// When a node does not answer.
pub async fn read<E: DataEnvironment>(env: &E, pair: Pair<'_>) -> Result<Lists, StoreError> {
    let dht = env.dht();
    let list = |read: Option<(Vec<String>, _)>| read.map_or(Vec::new(), |(keys, _)| keys);
    Ok((list(keys(&dht, pair.first).await?), list(keys(&dht, pair.second).await?)))
}
