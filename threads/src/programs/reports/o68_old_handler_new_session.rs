//! O68, helix#641: the handler of an old session makes its node in a new one.
//!
//! *Mechanism:* the handler for a session is queued; the session is over, and another one is opened; the handler runs late
//! and makes the instance's node, in the new session. *Source:* <https://github.com/apache/helix/issues/641>. *Violated:*
//! what was decided for a session happens in it or not at all. *Repair:* the session is sent along with the write.

use overtake_recipes::CreateMode;

use super::{Pair, Report};
use crate::client::Request;
use crate::programs::common::*;

pub(super) fn pair() -> Pair {
    Report {
        name: "O68 old handler, new session",
        source: "https://github.com/apache/helix/issues/641",
        about: "A session is replaced while the handler that was to announce the instance in it is still queued.",
        violates: "what was decided for a session happens in it or not at all",
        class: "ownership violation",
    }
    .pair(|stage, repaired| {
        let (hub, clients) = clients(stage, 1);
        let decided = clients[0].session();
        let client = clients[0].clone();
        stage.thread("handler", move || {
            let data = format!("{decided:x}");
            if !repaired {
                let _ = create(&client, "/lock/instance", &data, CreateMode::Ephemeral);
                return;
            }
            let request =
                Request::Create { path: "/lock/instance".into(), data: data.into(), mode: CreateMode::Ephemeral };
            // In another session it fails, which is as well.
            let _ = client.request_in(decided, &request);
        });
        let (client, server) = (clients[0].clone(), hub.clone());
        stage.thread("session", move || {
            server.expire(0);
            server.reconnect(0);
            client.connect().expect("a new session");
        });
        stage.rest();
        let owner = hub.with("looks at the node", |zk| {
            let stat = zk.server().node(overtake_sim::names::Text::new("/lock/instance"));
            stat.and_then(|stat| stat.owner).map(overtake_sim::names::session_number)
        });
        let holds = owner.is_none_or(|owner| owner == decided);
        stage.holds(holds, "what was decided for a session happens in it or not at all", || {
            "the node of the old session's handler belongs to the new session".into()
        });
    })
}
