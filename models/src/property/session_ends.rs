//! Whose session ends, and where it stands then: what the matrix of locks and faults has to reach.

use overtake_sim::names::{Text, slot_of};
use overtake_sim::world::{ClientView, View};

use super::Property;

/// Whether the server has begun to end the session that the client relies on.
fn is_ending(view: &View<'_>, client: &ClientView<'_>) -> bool {
    client.session().is_some_and(|session| !view.zookeeper().is_alive(session))
}

/// Somebody's session ends while it carries the mark.
pub fn session_ends_while(mark: &'static [&'static str; 1], name: &'static str) -> Property {
    Property::sometimes(name, move |view| view.clients().any(|c| c.is_marked(mark[0]) && is_ending(view, &c)))
        .where_marked(mark, 1)
}

/// The session of a waiter ends (mark `wants`) that has somebody before it and somebody behind it under the parent.
pub fn session_of_a_middle_waiter_ends(parent: &'static str) -> Property {
    let parent = Text::new(parent);
    Property::sometimes("the session of a middle waiter ends", move |view| {
        let zk = view.zookeeper();
        let mut queue = zk.children(parent);
        queue.sort_by_key(|path| path.leaf().last_seq());
        let place = |c: &ClientView<'_>| {
            queue.iter().position(|path| zk.owner(*path).is_some_and(|who| slot_of(who) == c.slot()))
        };
        let is_middle = |at: usize| at > 0 && at + 1 < queue.len();
        view.clients().any(|c| c.is_marked("wants") && is_ending(view, &c) && place(&c).is_some_and(is_middle))
    })
    .where_marked(&["wants"], 1)
}
