//! Nothing is left behind when everybody is done.

use super::Property;

/// When everybody is done, no node is left under the parent.
///
/// Source: CURATOR-45, CURATOR-79 and their kind: a node that nobody knows blocks the lock until its session ends.
pub fn no_orphan_node(parent: &'static str) -> Property {
    let parent = overtake_sim::names::Text::new(parent);
    Property::at_rest("no orphan node", "Netflix/curator#3, CURATOR-45, CURATOR-79", move |view| {
        if !view.everybody_is_done() {
            return Ok(());
        }
        let left: Vec<String> = view.zookeeper().children(parent).iter().map(|p| p.short()).collect();
        match left.is_empty() {
            true => Ok(()),
            false => {
                let are = if left.len() == 1 { "is" } else { "are" };
                Err(format!("everybody is done, and {} {are} still there", left.join(", ")))
            }
        }
    })
}

/// When everybody is done, the server keeps no watch for any of them.
///
/// Source: kazoo 9b0a793: creation watches pile up on names that never come back.
pub fn no_orphan_watch() -> Property {
    Property::at_rest("no orphan watch", "kazoo 9b0a793, Curator 8a94985c", |view| {
        if !view.everybody_is_done() {
            return Ok(());
        }
        let left: Vec<String> = view
            .zookeeper()
            .watches()
            .map(|(session, _, path)| {
                format!("a watch of client {} on {}", overtake_sim::names::slot_of(session) + 1, path.short())
            })
            .collect();
        match left.is_empty() {
            true => Ok(()),
            false => Err(format!("everybody is done, and the server still keeps {}", left.join(", "))),
        }
    })
}
