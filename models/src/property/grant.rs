//! A grant rests on a live node of the caller's current session.

use super::Property;

/// While the session that the client has is alive at the server, the node by which it holds is there and owned by
/// that session.
///
/// Source: CURATOR-604, CURATOR-696: a grant must rest on a node of the caller's *current* session.
pub fn grant_rests_on_own_live_node() -> Property {
    Property::always("grant rests on a live node of the own session", "CURATOR-604, CURATOR-696", |view| {
        for client in view.clients().filter(|c| c.is_marked("holds")) {
            let Some(path) = client.mark("holds").flatten() else {
                continue;
            };
            let Some(session) = client.session().filter(|s| view.zookeeper().is_alive(*s)) else {
                continue;
            };
            match view.zookeeper().node(path) {
                None => {
                    return Err(format!("{} holds by {}, which does not exist", client.name(), path.short()));
                }
                Some(stat) if stat.owner != Some(session) => {
                    return Err(format!(
                        "{} holds by {}, which is not a node of its session",
                        client.name(),
                        path.short()
                    ));
                }
                Some(_) => {}
            }
        }
        Ok(())
    })
    .where_marked(&["holds"], 1)
}
