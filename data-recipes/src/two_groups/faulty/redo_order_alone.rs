//! A reader that trusts the order in which the groups are written.

use overtake_recipes::StoreError;
use overtake_recipes::store::DataEnvironment;

use crate::two_groups::redo::group;
use crate::two_groups::{Lists, Pair, pause};

/// *Wrong:* the second group is a copy of the first, so whoever reads the first and then the second is thought to find it up to date. It
/// is behind as long as the copy is on its way, and ahead when it has arrived between the two reads.
///
/// *Seen:* an index that is read beside what it is an index of.
///
/// *Cure:* the numbers are compared, and who finds the second behind brings it up to date.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn read<E: DataEnvironment>(env: &E, pair: Pair<'_>) -> Result<Lists, StoreError> {
    loop {
        env.checkpoint("redo: read", &[pair.first]);
        let round = look(env, pair).await;
        if let Some(lists) = pause(env, round).await? {
            return Ok(lists);
        }
    }
}

async fn look<E: DataEnvironment>(env: &E, pair: Pair<'_>) -> Result<Lists, StoreError> {
    let dht = env.dht();
    let first = group(&dht, pair.first).await?;
    let second = group(&dht, pair.second).await?;
    Ok((first.keys, second.keys))
}
