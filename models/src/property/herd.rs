//! Wake-ups per release.

use super::{Kind, Property};

/// No step sends more watch events than that.
///
/// Source: seed 1, section 2.3: a release wakes the next in line and nobody else.
pub fn wake_ups_per_release_at_most(most: usize) -> Property {
    Property {
        name: "wake-ups per release",
        source: "seed 1, section 2.3; kazoo 7dd4c4c",
        kind: Kind::AtMostNotified(most),
        guard: None,
        tells_clients_apart: false,
    }
}
