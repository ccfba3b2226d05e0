//! A closed barrier lets nobody through.

use super::Property;

/// Nobody has passed (mark `passed`) before the keeper wants to open (mark `opens`).
///
/// Source: ZooKeeper recipes: Barriers.
pub fn nobody_passes_a_closed_barrier() -> Property {
    Property::always("nobody passes a closed barrier", "ZooKeeper recipes: Barriers", |view| {
        if view.clients().any(|c| c.is_marked("opens")) {
            return Ok(());
        }
        match view.clients().find(|c| c.is_marked("passed")) {
            Some(c) => Err(format!("{} has passed, and nobody has opened the barrier", c.name())),
            None => Ok(()),
        }
    })
    .where_marked(&["passed"], 1)
}
