//! Everybody ends.

use super::Property;

/// Every fair run comes to a state in which everybody is done.
///
/// Source: "with stable connections some candidate becomes leader" (CURATOR-645); starvation freedom of a queue lock.
pub fn everybody_ends() -> Property {
    Property::eventually("everybody ends", "CURATOR-645; ZooKeeper recipes: Locks", |view| view.everybody_is_done())
}
