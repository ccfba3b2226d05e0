//! The order of grants is the order of creation.

use overtake_sim::names::Text;

use super::Property;

/// While a client holds by a live node, no node with a smaller number is under the same parent.
///
/// Source: the lock recipe: the lowest sequence number has the lock.
pub fn grants_in_order_of_creation() -> Property {
    Property::always("grants in order of creation", "ZooKeeper recipes: Locks, step 3", |view| {
        for client in view.clients().filter(|c| c.is_marked("holds")) {
            let Some(path) = client.mark("holds").flatten() else {
                continue;
            };
            if view.zookeeper().node(path).is_none() {
                continue;
            }
            let siblings = path.parent().map_or(Vec::new(), |parent| view.zookeeper().children(parent));
            let number = |path: &Text| path.leaf().last_seq();
            if let Some(earlier) = siblings.iter().find(|s| number(s) < number(&path) && number(s).is_some()) {
                return Err(format!(
                    "{} holds by {} although {} came earlier and is still there",
                    client.name(),
                    path.short(),
                    earlier.short()
                ));
            }
        }
        Ok(())
    })
    .where_marked(&["holds"], 1)
}
