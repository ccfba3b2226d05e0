//! At most one live holder.

use overtake_sim::world::{ClientView, View};

use super::Property;

/// Names the client and the node it believes to hold by.
fn told(client: &ClientView<'_>, mark: &str) -> String {
    match client.mark(mark).flatten() {
        Some(path) => format!("{} ({})", client.name(), path.short()),
        None => client.name().to_owned(),
    }
}

/// Whether the node by which the client holds is in the tree and belongs to a session of the client.
fn is_live(view: &View<'_>, client: &ClientView<'_>) -> bool {
    let path = client.mark("holds").flatten();
    path.is_none_or(|path| {
        let owner = view.zookeeper().owner(path);
        view.zookeeper().node(path).is_some()
            && owner.is_none_or(|who| overtake_sim::names::slot_of(who) == client.slot())
    })
}

/// No two clients hold at once by nodes that are in the tree (mark `holds`).
///
/// Source: the lock recipe, seed 1, section 2: whoever has the smallest number holds; safety of a mutex.
pub fn at_most_one_live_holder() -> Property {
    Property::always("at most one live holder", "ZooKeeper recipes: Locks", |view| {
        let holders = view.clients().filter(|c| c.is_marked("holds") && is_live(view, c));
        let holders: Vec<String> = holders.map(|c| told(&c, "holds")).collect();
        match holders.len() {
            0 | 1 => Ok(()),
            _ => Err(format!("{} hold the lock at the same time", holders.join(" and "))),
        }
    })
    .where_marked(&["holds"], 2)
}

/// No two clients believe that they hold, whatever the tree says. A lock with leases cannot keep this when a session
/// expires under its holder; nobody should rely on it without fencing.
pub fn at_most_one_believer() -> Property {
    Property::always("at most one believer", "Kleppmann 2016: pause between grant and use", |view| {
        let holders: Vec<String> = view.clients().filter(|c| c.is_marked("holds")).map(|c| told(&c, "holds")).collect();
        match holders.len() {
            0 | 1 => Ok(()),
            _ => Err(format!("{} both believe that they hold the lock", holders.join(" and "))),
        }
    })
    .where_marked(&["holds"], 2)
}
