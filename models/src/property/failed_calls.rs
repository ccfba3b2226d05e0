//! A call that failed or timed out leaves nothing and never turns into a grant later.

use overtake_sim::names::{Text, slot_of};

use super::Property;

/// A client that gave up (mark `gave up`) has, at rest, no node under the parent, and is never granted.
///
/// Source: kazoo#732, zk-ruby#49, CURATOR-318; kazoo#213 for the grant that comes later.
pub fn failed_calls_leave_nothing(parent: &'static str) -> Property {
    let parent = Text::new(parent);
    Property::at_rest("failed calls leave nothing", "kazoo#732, zk-ruby#49, kazoo#213", move |view| {
        for client in view.clients().filter(|c| c.is_marked("gave up")) {
            let mine = view
                .zookeeper()
                .children(parent)
                .into_iter()
                .find(|path| view.zookeeper().owner(*path).is_some_and(|who| slot_of(who) == client.slot()));
            if let Some(path) = mine {
                return Err(format!("{} gave up, and its node {} is still there", client.name(), path.short()));
            }
        }
        Ok(())
    })
    .where_marked(&["gave up"], 1)
}

/// A client that gave up holds nothing.
///
/// Source: kazoo#213: a call that returned "not acquired" must not acquire later.
pub fn failed_calls_are_never_granted() -> Property {
    Property::always("failed calls are never granted", "kazoo#213", |view| {
        match view.clients().find(|c| c.is_marked("gave up") && c.is_marked("holds")) {
            None => Ok(()),
            Some(c) => Err(format!("{} was told that it has not got the lock, and holds it", c.name())),
        }
    })
    .where_marked(&["gave up"], 1)
}
