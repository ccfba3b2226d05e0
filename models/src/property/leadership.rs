//! One leader, who knows it.

use overtake_sim::names::{Text, slot_of};
use overtake_sim::world::Link;

use super::Property;
use super::live::live;

/// No two clients lead (mark `leads`) by live nodes.
///
/// Source: ZooKeeper recipes: Leader Election.
pub fn at_most_one_leader() -> Property {
    Property::always("at most one leader", "ZooKeeper recipes: Leader Election", |view| {
        let leaders: Vec<&str> =
            view.clients().filter(|c| live(view, c, "leads").is_some()).map(|c| c.name()).collect();
        match leaders.len() {
            0 | 1 => Ok(()),
            _ => Err(format!("{} lead at the same time", leaders.join(" and "))),
        }
    })
    .where_marked(&["leads"], 2)
}

/// No client goes on leading once its library has told it that the connection is gone.
///
/// Source: Curator `LeaderLatch` with its default error policy: SUSPENDED ends leadership.
pub fn nobody_leads_while_suspended() -> Property {
    Property::always(
        "nobody leads while suspended",
        "Curator LeaderLatch, StandardConnectionStateErrorPolicy",
        |view| {
            let told = |c: &overtake_sim::world::ClientView<'_>| c.link() != Link::Up && c.incoming().is_empty();
            match view.clients().find(|c| c.is_marked("leads") && told(c)) {
                Some(c) => Err(format!("{} knows that its connection is gone, and leads on", c.name())),
                None => Ok(()),
            }
        },
    )
    .where_marked(&["leads"], 1)
}

/// At rest, the first in line leads, by the node by which it is the first.
///
/// Source: Curator `LeaderLatch`: with stable connections some candidate leads (CURATOR-645).
pub fn the_first_in_line_leads(parent: &'static str) -> Property {
    let parent = Text::new(parent);
    Property::at_rest("the first in line leads", "CURATOR-645", move |view| {
        let line = view.zookeeper().children(parent);
        let Some(first) = line.into_iter().min_by_key(|path| path.leaf().last_seq()) else {
            return Ok(());
        };
        match view.clients().any(|c| c.mark("leads").flatten() == Some(first)) {
            true => Ok(()),
            false => Err(format!("{} is the first in line for ever, and does not lead", first.short())),
        }
    })
}

/// Whoever is taken for the leader (mark `follows`, with the path of its node) and is still a candidate has led (mark
/// `has led`).
///
/// Source: ZooKeeper recipes: Leader Election, the note on the separate node.
pub fn a_followed_leader_knows_it() -> Property {
    Property::always("a followed leader knows it", "ZooKeeper recipes: Leader Election", |view| {
        for follower in view.clients() {
            let Some(path) = follower.mark("follows").flatten() else { continue };
            let slot = view.zookeeper().owner(path).map(slot_of);
            let leader = view.clients().find(|c| Some(c.slot()) == slot && !c.is_crashed());
            if let Some(leader) = leader.filter(|leader| !leader.is_marked("has led")) {
                let (name, path) = (leader.name(), path.short());
                return Err(format!("{} follows {path}, and {name} does not know that it leads", follower.name()));
            }
        }
        Ok(())
    })
    .where_marked(&["follows"], 1)
}
