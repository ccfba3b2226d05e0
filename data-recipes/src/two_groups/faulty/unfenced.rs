//! Under the leases the groups are written with SET.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht};

use crate::group::keys;
use crate::two_groups::Pair;
use crate::two_groups::locked::{enter, leave};

/// *Wrong:* the leases are over before the second SET arrives. A later holder has written both groups by then, and the second is overwritten.
///
/// *Seen:* `semantics §6.3`: a holder is not told when its lease expires.
///
/// *Cure:* UPDATE by versions that were read under the leases.
///
/// # Errors
/// When a node does not answer.
pub async fn add<E: DataEnvironment>(env: &E, pair: Pair<'_>, key: &str, token: &str) -> Result<(), StoreError> {
    let held = enter(env, pair, token).await?;
    let dht = env.dht();
    for group in [pair.first, pair.second] {
        let mut list = keys(&dht, group).await?.map_or(Vec::new(), |(keys, _)| keys);
        list.push(key.to_owned());
        dht.set(group, list.into(), pair.life).await?;
    }
    leave(env, held).await
}
