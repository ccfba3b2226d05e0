//! What tables differ in.

use overtake_recipes::store::dht::Expiration;

/// The switches of a table. They do not change while it runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Rules {
    /// UPDATE without an expiration keeps the item's own; memcached's `cas` replaces it in any case.
    pub update_keeps: bool,
    /// A number does not fall below 0.
    pub floor: bool,
    /// A batch of reads is one step.
    pub batch_at_once: bool,
    /// Most elements of a list.
    pub largest: Option<usize>,
    /// Most items of a node.
    pub capacity: Option<usize>,
    /// What is done at that: the least recently used item is dropped, or the store fails.
    pub evicts: bool,
    /// Longest key, in bytes.
    pub longest_key: usize,
    /// Clients change the ring when a node is lost or comes back.
    pub rehashes: bool,
    /// Where versions come from.
    pub versions: Versions,
    /// Calls are counted by client.
    pub counts: bool,
}

/// Where the version of a stored item comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Versions {
    /// One counter for each life of a node (memcached, M33, M44).
    OfNode,
    /// A counter in each item: one that is deleted and stored again starts anew.
    OfItem,
    /// A counter for each life of a node, of so many values: then it starts again at 1.
    Below(u64),
}

impl Rules {
    pub(super) const SEED: Self = Self {
        update_keeps: true,
        floor: false,
        batch_at_once: false,
        largest: None,
        capacity: None,
        evicts: true,
        longest_key: 250,
        rehashes: false,
        versions: Versions::OfNode,
        counts: false,
    };

    pub(super) const MEMCACHED: Self = Self { update_keeps: false, floor: true, ..Self::SEED };
}

/// Seconds in thirty days.
const THIRTY_DAYS: i64 = 30 * 24 * 3600;

/// The expiration that memcached makes of an `exptime` at the moment `now` in seconds (`semantics §6.3`): up to thirty days it is a
/// span, above that it is a moment, so that "31 days" are over since 1970.
pub fn exptime(exptime: i64, now: i64) -> Expiration {
    let span = if exptime > THIRTY_DAYS { exptime - now } else { exptime };
    match exptime {
        0 => Expiration::Never,
        _ if span <= 0 => Expiration::AtOnce,
        _ => Expiration::After(std::time::Duration::from_secs(span.unsigned_abs())),
    }
}
