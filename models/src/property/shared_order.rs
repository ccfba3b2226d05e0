//! The order of shared grants.

use super::Property;
use super::live::live;

/// While a client writes by a live node, no node with a smaller number is there; while it reads, none of a writer. A node
/// of the client itself is not in its way: that is a downgrade.
///
/// Source: ZooKeeper recipes: Shared Locks, steps 3 and 2; Z156.
pub fn shared_grants_in_order() -> Property {
    Property::always("shared grants in order", "ZooKeeper recipes: Shared Locks", |view| {
        for client in view.clients() {
            for mark in ["writes", "reads"] {
                let Some(path) = live(view, &client, mark) else { continue };
                let number = path.leaf().last_seq();
                let siblings = path.parent().map_or(Vec::new(), |parent| view.zookeeper().children(parent));
                let earlier = siblings.iter().find(|other| {
                    let counts = mark == "writes" || other.to_string().contains("write-");
                    counts && other.leaf().last_seq().is_some_and(|n| Some(n) < number)
                });
                if let Some(earlier) = earlier {
                    let (name, path, earlier) = (client.name(), path.short(), earlier.short());
                    return Err(format!("{name} {mark} by {path} although {earlier} came earlier and is still there"));
                }
            }
        }
        Ok(())
    })
    .where_marked(&["writes", "reads"], 1)
}
