//! Two groups that must change together: a key is in both, in the same order, or in neither.
//!
//! The table compares the version of one key. Two keys may be on two nodes, and nothing changes both at once: with plain compare-and-set on
//! each ([`faulty::plain`]) two clients leave the groups in different orders, and a client that dies between the two leaves them apart for ever.
//!
//! Four cures, and what an add costs in calls when nobody is in the way:
//!
//! | cure | calls | idea |
//! |---|---|---|
//! | [`one_record`] | 2 | both groups are one value |
//! | [`redo`] | 4 | the first group is the record by which anybody brings the second up to date |
//! | [`intent`] | 8 | what is to be done is written down in a record of its own, and whoever finds it does it |
//! | [`locked`] | 10 | a lease for each group, in the order of their names, and versions as fencing numbers |
//!
//! None of them gives up half-way: they go on until the add is done. A caller with less patience drops the future, as a crash would.
//!
//! Whatever they store lives as long as the caller says ([`Pair::life`]). When groups expire, one record alone keeps both the same, since both
//! are gone together. [`redo`] and [`locked`] bring the groups together again when the next client comes by; [`intent`] may never.
//!
//! Source: the posts stop at this problem, and leave it for a later one; `semantics §6.6`, slip 13.

pub mod faulty;
pub mod intent;
pub mod locked;
pub mod one_record;
pub mod redo;

use std::time::Duration;

use overtake_recipes::StoreError;
use overtake_recipes::store::{DataEnvironment, Dht, Expiration, Updated, Value, Version};

/// How long to wait before a round that follows a failure.
pub const PAUSE: Duration = Duration::from_millis(50);

/// Two groups, by their keys. Everybody names them in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair<'a> {
    /// The one that is changed first.
    pub first: &'a str,
    /// The other.
    pub second: &'a str,
    /// How long a group lives after it was made, and an intent record. UPDATE keeps what is left of it.
    pub life: Expiration,
}

/// The keys in both groups, as one reader sees them.
pub type Lists = (Vec<String>, Vec<String>);

/// Stores a value under a key that had that version when it was read, or was absent: then it lives that long. `false`
/// when that has changed.
async fn swap<D: Dht>(
    dht: &D,
    key: &str,
    value: Value,
    version: Option<Version>,
    life: Expiration,
) -> Result<bool, StoreError> {
    match version {
        Some(version) => Ok(dht.update(key, value, version).await? == Updated::Stored),
        None => dht.put(key, value, life).await,
    }
}

/// Whether a failed call is worth another round, after a pause.
async fn pause<E: DataEnvironment, T>(env: &E, outcome: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match outcome {
        Ok(value) => Ok(Some(value)),
        Err(StoreError::Unknown | StoreError::Unavailable) => {
            env.sleep(PAUSE).await;
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
