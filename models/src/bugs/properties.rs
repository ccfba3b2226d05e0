//! Properties that several of the reports name. Each clause says which.

use overtake_sim::names::{Text, slot_of};
use overtake_sim::world::{ClientView, View};

use crate::property::Property;

/// The children of `parent` that a session of the client owns.
fn nodes_of(view: &View<'_>, client: &ClientView<'_>, parent: Text) -> Vec<Text> {
    let owner = |path: &Text| view.zookeeper().owner(*path);
    let mut nodes = view.zookeeper().children(parent);
    nodes.retain(|path| owner(path).is_some_and(|who| slot_of(who) == client.slot()));
    nodes
}

/// No more clients hold at once (mark `holds`) than there are permits. Source: kazoo#213.
pub fn no_more_holders_than(permits: usize) -> Property {
    Property::always("no more holders than permits", "kazoo#213", move |view| {
        let holders = view.clients().filter(|c| c.is_marked("holds")).count();
        match holders <= permits {
            true => Ok(()),
            false => Err(format!("{holders} clients hold, {permits} may")),
        }
    })
    .where_marked(&["holds"], 2)
}

/// Nobody writes (mark `writes`) while somebody reads (mark `reads`). Source: zk-ruby fdab2ba.
pub fn no_writer_with_a_reader() -> Property {
    Property::always("no writer together with a reader", "zk-ruby fdab2ba", |view| {
        let writer = view.clients().find(|c| c.is_marked("writes"));
        let reader = view.clients().find(|c| c.is_marked("reads"));
        match (writer, reader) {
            (Some(writer), Some(reader)) => Err(format!("{} writes while {} reads", writer.name(), reader.name())),
            _ => Ok(()),
        }
    })
    .where_marked(&["writes", "reads"], 2)
}

/// At rest, each node under the parent that a living client owns is the one that the client shows (mark `node` or
/// `holds`). Source: Netflix/curator#3, CURATOR-202, -335, -678.
pub fn every_node_is_known(parent: &'static str) -> Property {
    let parent = Text::new(parent);
    Property::at_rest(
        "every node is known to its client",
        "Netflix/curator#3, CURATOR-202, CURATOR-335, CURATOR-678",
        move |view| {
            for client in view.clients().filter(|c| !c.is_crashed()) {
                let known = |path: &Text| {
                    let shown = |mark| client.mark(mark).flatten() == Some(*path);
                    shown("node") || shown("holds")
                };
                let nodes = nodes_of(view, &client, parent);
                if let Some(path) = nodes.into_iter().find(|path| !known(path)) {
                    let (name, path) = (client.name(), path.short());
                    return Err(format!("{name} does not know of its node {path}"));
                }
            }
            Ok(())
        },
    )
}

/// At rest, no client owns more than one node under the parent. Source: CURATOR-190.
pub fn one_member_one_node(parent: &'static str) -> Property {
    let parent = Text::new(parent);
    Property::at_rest("one member, one node", "CURATOR-190", move |view| {
        for client in view.clients() {
            let nodes = nodes_of(view, &client, parent);
            if nodes.len() > 1 {
                let nodes: Vec<String> = nodes.into_iter().map(Text::short).collect();
                return Err(format!("{} owns {}", client.name(), nodes.join(" and ")));
            }
        }
        Ok(())
    })
}

/// At rest, each living client that has not given up (mark `gave up`) has a node under the parent. Source:
/// Netflix/curator#118, CURATOR-73, -110.
pub fn every_candidate_has_a_node(parent: &'static str) -> Property {
    let parent = Text::new(parent);
    Property::at_rest("every candidate has a node", "Netflix/curator#118, CURATOR-73, CURATOR-110", move |view| {
        let mut clients = view.clients().filter(|c| !c.is_crashed() && !c.is_marked("gave up"));
        match clients.find(|c| nodes_of(view, c, parent).is_empty()) {
            None => Ok(()),
            Some(c) => Err(format!("{} is a candidate and has no node", c.name())),
        }
    })
}

/// At rest, nobody shows a node under `mark` that is not in the tree.
fn nothing_rests_on_a_lost_node(
    name: &'static str,
    source: &'static str,
    mark: &'static [&'static str; 1],
    but: &'static str,
) -> Property {
    Property::at_rest(name, source, move |view| {
        for client in view.clients() {
            let Some(path) = client.mark(mark[0]).flatten() else {
                continue;
            };
            if view.zookeeper().node(path).is_none() {
                let (name, path) = (client.name(), path.short());
                return Err(format!("{path} is gone, and {name} {but}"));
            }
        }
        Ok(())
    })
    .where_marked(mark, 1)
}

/// At rest, nobody holds (mark `holds`) by a node that is gone. Source: libkv#156, rust-zookeeper#77.
pub fn a_lost_lock_is_told() -> Property {
    nothing_rests_on_a_lost_node(
        "a lost lock is told",
        "docker/libkv#156, rust-zookeeper#77, CURATOR-54",
        &["holds"],
        "is never told",
    )
}

/// At rest, nobody waits (mark `waits`) by a node that is gone. Source: etcd#19597.
pub fn a_lost_candidacy_ends_the_wait() -> Property {
    nothing_rests_on_a_lost_node("a lost candidacy ends the wait", "etcd#19597", &["waits"], "waits on")
}

/// While a client that holds by a live node has written (mark `wrote`), the resource shows its write: nobody who
/// held before has written over it. Writers write the path of their node. Source: CURATOR-206, vespa#3340.
pub fn no_write_by_a_former_holder(resource: &'static str) -> Property {
    let resource = Text::new(resource);
    Property::always("no write by a former holder", "CURATOR-206, vespa#3340", move |view| {
        let zk = view.zookeeper();
        for client in view.clients().filter(|c| c.is_marked("wrote")) {
            let path = client.mark("holds").flatten();
            let Some(path) = path.filter(|path| zk.node(*path).is_some()) else {
                continue;
            };
            if zk.data(resource).flatten() != Some(path) {
                let name = client.name();
                return Err(format!("somebody wrote over {name}, which holds by {}", path.short()));
            }
        }
        Ok(())
    })
    .where_marked(&["wrote"], 1)
}

/// At rest, a client that left (mark `left`) owns no node under the parent. Source: CURATOR-3, zk-ruby#49.
pub fn who_left_owns_nothing(parent: &'static str) -> Property {
    let parent = Text::new(parent);
    Property::at_rest("who left owns no node", "CURATOR-3, zk-ruby#49", move |view| {
        for client in view.clients().filter(|c| c.is_marked("left")) {
            if let Some(path) = nodes_of(view, &client, parent).first() {
                return Err(format!("{} left, and its node {} is still there", client.name(), path.short()));
            }
        }
        Ok(())
    })
    .where_marked(&["left"], 1)
}
