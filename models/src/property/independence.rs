//! Locks of different things do not wait for each other.

use overtake_sim::names::slot_of;

use super::Property;

/// A client (mark `order` says which) waits for no node of a client with another order.
///
/// Source: seed 1, section 1.2.2, slip 5: `LOCK_PATH + orderId` has no separator, so all orders are one queue.
pub fn orders_are_independent() -> Property {
    Property::always("orders are independent", "seed 1, section 1.2.2", |view| {
        for client in view.clients() {
            let Some(order) = client.mark("order") else { continue };
            for path in client.watched_paths() {
                let Some(owner) = view.zookeeper().owner(path).map(slot_of) else { continue };
                let other = view.clients().nth(owner).and_then(|c| c.mark("order"));
                if other.is_some_and(|other| other != order) {
                    return Err(format!("{} waits for {}, which is of another order", client.name(), path.short()));
                }
            }
        }
        Ok(())
    })
}
