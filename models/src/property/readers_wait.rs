//! Readers share.

use super::Property;

/// A client that wants to read (mark `wants to read`) watches no reader's node.
///
/// Source: ZooKeeper recipes: Shared Locks, step 4 of the read lock.
pub fn readers_wait_for_writers_only() -> Property {
    Property::always("readers wait for writers only", "ZooKeeper recipes: Shared Locks", |view| {
        for client in view.clients().filter(|c| c.is_marked("wants to read")) {
            if let Some(path) = client.watched_paths().iter().find(|path| path.to_string().contains("read-")) {
                return Err(format!("{} wants to read and waits for {}, a reader", client.name(), path.short()));
            }
        }
        Ok(())
    })
    .where_marked(&["wants to read"], 1)
}
