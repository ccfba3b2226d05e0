//! O81, CURATOR-537: the path that is offered as a fencing token changes under the reader.
//!
//! *Mechanism:* the leader reads the latch's path to use it as a token. A reset has just stored the path of a new node,
//! which does not lead. The token is one by which nobody was granted anything. *Source:*
//! <https://github.com/apache/curator/pull/414>. *Violated:* the token is of the grant. *Repair:* the path is remembered at
//! the grant.

use std::sync::Arc;

use overtake_recipes::CreateMode;

use super::{Pair, Report};
use crate::programs::common::*;
use crate::sync::{Shuttle, Threads};

struct Latch {
    client: TestClient,
    /// The own node, and whether it leads.
    state: Mutex<(String, bool)>,
    /// The node by which the latch led last.
    led_by: Mutex<String>,
}

pub(super) fn pair() -> Pair {
    Report {
        name: "O81 token of another node",
        source: "https://github.com/apache/curator/pull/414",
        about: "A leader reads its node's path as a token while the latch is reset.",
        violates: "the token is of the grant",
        class: "fencing missing",
    }
    .pair(|stage, repaired| {
        let (_, clients) = clients(stage, 2);
        let mode = CreateMode::EphemeralSequential;
        let first = create(&clients[0], "/lock/latch-", "", mode).expect("a node");
        create(&clients[1], "/lock/latch-", "", mode).expect("the other candidate's");
        let latch = Arc::new(Latch {
            client: clients[0].clone(),
            state: Shuttle::mutex("latch", (first.clone(), true)),
            led_by: Shuttle::mutex("last path as leader", first.clone()),
        });
        let (resets, reads, own) = (latch.clone(), latch, *stage);
        stage.thread("reset", move || {
            let old = {
                let mut state = Shuttle::lock(&resets.state);
                state.1 = false;
                state.0.clone()
            };
            delete(&resets.client, &old, None).expect("the old node");
            let new = create(&resets.client, "/lock/latch-", "", mode).expect("a new node");
            // Behind the other candidate's: it does not lead.
            *Shuttle::lock(&resets.state) = (new, false);
        });
        stage.thread("leader", move || {
            let leads = Shuttle::lock(&reads.state).1;
            if !leads {
                return;
            }
            let token = match repaired {
                true => Shuttle::lock(&reads.led_by).clone(),
                false => Shuttle::lock(&reads.state).0.clone(),
            };
            let because = || "the leader took the path of a node by which it was never granted anything".into();
            own.holds(token == first, "the token is of the grant", because);
        });
        stage.rest();
    })
}
