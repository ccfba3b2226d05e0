//! O24, Netflix/curator#118: the old node disappears while it is being cleaned up, and the candidate gives up.
//!
//! *Mechanism:* after a reconnect the election thread meets its old node and deletes it. The server ends the old session
//! first: the delete answers `NoNode`, and the exception leaves the election loop. *Source:*
//! <https://github.com/Netflix/curator/issues/118>. *Violated:* a live client is a candidate. *Repair:* a node that is gone
//! is what was wanted.

use overtake_recipes::{CreateMode, ZkError};

use super::{Pair, Report};
use crate::programs::common::*;

pub(super) fn pair() -> Pair {
    Report {
        name: "O24 clean-up error ends candidacy",
        source: "https://github.com/Netflix/curator/issues/118",
        about: "The old session ends while its candidate, in a new session, is deleting the old node.",
        violates: "every candidate has a node",
        class: "lost wake-up/hang",
    }
    .pair(|stage, repaired| {
        let (hub, clients) = clients(stage, 1);
        let old = create(&clients[0], "/lock/latch-", "", CreateMode::EphemeralSequential).expect("a node");
        hub.give_up_session(0);
        clients[0].connect().expect("a new session");
        let server = hub.clone();
        stage.thread("old session ends", move || server.expire_former(0));
        let client = clients[0].clone();
        stage.thread("election", move || {
            match delete(&client, &old, None) {
                Ok(()) => {}
                Err(ZkError::NoNode) if repaired => {}
                // Nobody catches it.
                Err(_) => return,
            }
            create(&client, "/lock/latch-", "", CreateMode::EphemeralSequential).expect("a node");
        });
        stage.rest();
        let because = || "the client is connected, and has no node".into();
        stage.holds(nodes(&hub).len() == 1, "every candidate has a node", because);
    })
}
