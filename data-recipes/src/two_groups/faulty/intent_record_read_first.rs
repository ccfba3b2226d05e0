//! A reader that looks for an intent record before it reads the groups, and compares no numbers.

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht};

use crate::two_groups::intent::{complete, group};
use crate::two_groups::{Lists, Pair, pause};

/// *Wrong:* no record is there when the reader looks. Then one is, and the change is made while the reader is between the groups.
///
/// *Seen:* a look at a flag before the read that it is to guard.
///
/// *Cure:* equal numbers are equal changes; only where they differ the record is looked for.
///
/// # Errors
/// What a node answers but that it cannot be reached.
pub async fn read<E: DataEnvironment>(env: &E, pair: Pair<'_>, slot: &str) -> Result<Lists, StoreError> {
    loop {
        env.checkpoint("intent: read", &[slot]);
        let round = look(env, pair, slot).await;
        if let Some(Some(lists)) = pause(env, round).await? {
            return Ok(lists);
        }
    }
}

async fn look<E: DataEnvironment>(env: &E, pair: Pair<'_>, slot: &str) -> Result<Option<Lists>, StoreError> {
    let dht = env.dht();
    if dht.get(slot).await?.is_some() {
        complete(env, pair, slot).await?;
        return Ok(None);
    }
    let (second, ..) = group(&dht, pair.second).await?;
    let (first, ..) = group(&dht, pair.first).await?;
    Ok(Some((first, second)))
}
