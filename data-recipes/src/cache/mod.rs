//! A cache in front of a store: what is not in the cache is read from the store and put in, and who writes takes it out.
//!
//! The reader that fills and the writer that invalidates do not see each other: the reader misses, reads the old row, and is slow;
//! the writer writes the row and deletes what is not there yet; the reader fills in the old row, for good.
//!
//! Two cures. A **lease** ([`leased`]): the miss leaves a marker in the cache, the fill is by compare-and-set on that very marker, and an
//! invalidation takes the marker away like anything else (Nishtala et al., "Scaling Memcache at Facebook", 2013, §3.2.1). A
//! **version** ([`versioned`]): the row has one, the writer leaves the new one in the cache, and nobody puts in what is older. The second
//! one leans on what the writer left: where that is evicted, the hole is back.
//!
//! Source: pattern P8; `semantics §6.2` for the versions of the cache's own.

pub mod faulty;
pub mod leased;
pub mod versioned;

use overtake_recipes::StoreError;
use overtake_recipes::store::documents::{eq, set};
use overtake_recipes::store::{Change, DataEnvironment, Documents, Value};

/// The collection of the rows. A row has its key as `_id`, a `value`, and a `version` that counts its writes.
pub const ROWS: &str = "rows";

/// The row as the store has it.
///
/// # Errors
/// What the store answers.
///
/// # Panics
/// When there is no such row: rows are not deleted here.
pub async fn row<E: DataEnvironment>(env: &E, key: &str) -> Result<Value, StoreError> {
    Ok(env.documents().find_one(ROWS, eq("_id", key)).await?.expect("rows are not deleted"))
}

/// Writes the row in the store, and counts its version up.
///
/// # Errors
/// What the store answers.
pub async fn write_row<E: DataEnvironment>(env: &E, key: &str, value: Value) -> Result<(), StoreError> {
    let changes = vec![set("value", value), Change::Inc("version".into(), 1)];
    env.documents().update_one(ROWS, eq("_id", key), changes).await.map(drop)
}
