//! Properties that several reports from O47 on share.

use overtake_sim::names::{Text, slot_of};
use overtake_sim::world::View;

use crate::property::Property;

/// Nobody waits, directly or through others, for itself. A client that waits for a node to go carries the mark
/// `waits` with the node's path; who owns the node is who is waited for.
pub fn no_cycle_of_waits() -> Property {
    Property::always("no cycle of waits", "python-zk/kazoo#649, Netflix/curator#75", |view| {
        for client in view.clients().filter(|c| c.is_marked("waits")) {
            let mut seen = vec![client.slot()];
            while let Some(next) = waits_for(view, seen[seen.len() - 1]) {
                if next == client.slot() {
                    let others = seen[1..].iter().chain([&next]);
                    let waits: Vec<String> = others.map(|slot| format!("waits for {}", name(view, *slot))).collect();
                    return Err(format!("{} {}", client.name(), waits.join(", which ")));
                }
                if seen.contains(&next) {
                    break;
                }
                seen.push(next);
            }
        }
        Ok(())
    })
    .where_marked(&["waits"], 1)
}

fn waits_for(view: &View<'_>, slot: usize) -> Option<usize> {
    let path = view.clients().nth(slot)?.mark("waits").flatten()?;
    view.zookeeper().owner(path).map(slot_of)
}

fn name<'a>(view: &View<'a>, slot: usize) -> &'a str {
    view.clients().nth(slot).map_or("nobody", |c| c.name())
}

/// The node by which a client says that it is registered (mark `registered`) belongs to the session that it has,
/// as long as that session is alive.
pub fn registration_belongs_to_the_session() -> Property {
    Property::always(
        "the registration belongs to the session",
        "Box engineering blog: a gotcha when using ephemeral nodes",
        |view| {
            for client in view.clients() {
                let Some(path) = client.mark("registered").flatten() else {
                    continue;
                };
                let session = client.session().filter(|s| view.zookeeper().is_alive(*s));
                if session.is_some() && view.zookeeper().owner(path) != session {
                    return Err(format!(
                        "{} relies on {}, which does not belong to its session",
                        client.name(),
                        path.short()
                    ));
                }
            }
            Ok(())
        },
    )
    .where_marked(&["registered"], 1)
}

/// What a later leader has written is not overwritten by an earlier one. The data of the node ends with the
/// number of the grant under which it was written; a client whose write was taken carries the mark `wrote` with the
/// number of its own.
pub fn deposed_leaders_are_refused(node: &'static str) -> Property {
    let node = Text::new(node);
    Property::always(
        "deposed leaders are refused",
        "KAFKA-6082; Kleppmann 2016: how to do distributed locking",
        move |view| {
            let Some(data) = view.zookeeper().data(node).flatten() else {
                return Ok(());
            };
            for client in view.clients() {
                let Some(wrote) = client.mark("wrote").flatten() else {
                    continue;
                };
                if number(data) < number(wrote) {
                    return Err(format!(
                        "{} wrote under grant {}, and the write of grant {} has replaced it",
                        client.name(),
                        number(wrote),
                        number(data)
                    ));
                }
            }
            Ok(())
        },
    )
    .where_marked(&["wrote"], 1)
}

fn number(text: Text) -> i64 {
    match text.last_seq() {
        Some(number) => number.into(),
        None => text.to_string().parse().unwrap_or(-1),
    }
}
