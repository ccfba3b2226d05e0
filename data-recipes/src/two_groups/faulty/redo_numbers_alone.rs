//! Groups of one number are taken for the same list.

use overtake_recipes::StoreError;
use overtake_recipes::store::DataEnvironment;

use crate::two_groups::redo::{group, level};
use crate::two_groups::{Lists, Pair, pause};

/// *Wrong:* when a group was forgotten its numbers are given a second time. A copy of the old change one may then stand beside the new one.
///
/// *Seen:* a revision that is missing counts as 0 (AB-04).
///
/// *Cure:* the lists are compared as well.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn read<E: DataEnvironment>(env: &E, pair: Pair<'_>) -> Result<Lists, StoreError> {
    loop {
        env.checkpoint("redo: read", &[pair.first]);
        let round = look(env, pair).await;
        if let Some(Some(lists)) = pause(env, round).await? {
            return Ok(lists);
        }
    }
}

async fn look<E: DataEnvironment>(env: &E, pair: Pair<'_>) -> Result<Option<Lists>, StoreError> {
    let dht = env.dht();
    let second = group(&dht, pair.second).await?;
    let first = group(&dht, pair.first).await?;
    if first.number != second.number {
        level(&dht, pair, &first, &second).await?;
        return Ok(None);
    }
    Ok(Some((first.keys, second.keys)))
}
