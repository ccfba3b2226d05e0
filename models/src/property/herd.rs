//! Wake-ups per release.

use super::{Kind, Property};

/// No step sends more watch events than that.
///
/// Source: `seeds` §2.3: only the client whose sequence is immediately after the released node needs to be awakened.
pub fn wake_ups_per_release_at_most(most: usize) -> Property {
    Property {
        name: "wake-ups per release",
        source: "seed 1, section 2.3; kazoo 7dd4c4c",
        kind: Kind::AtMostNotified(most),
        guard: None,
        tells_clients_apart: false,
    }
}
