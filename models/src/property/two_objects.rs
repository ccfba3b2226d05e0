//! Two lock objects of one client.

use super::Property;

/// No client holds by two lock objects on one path at once (marks `holds` and `holds too`).
///
/// Source: ZooKeeper's `WriteLock`, whose objects on one session adopt each other's node (§5.9).
pub fn objects_exclude_each_other() -> Property {
    Property::always("two lock objects exclude each other", "ZooKeeper WriteLock, semantics §5.9", |view| {
        match view.clients().find(|c| c.is_marked("holds") && c.is_marked("holds too")) {
            None => Ok(()),
            Some(c) => Err(format!("{} holds the lock by two objects at once", c.name())),
        }
    })
    .where_marked(&["holds too"], 1)
}
