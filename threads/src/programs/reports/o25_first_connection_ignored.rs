//! O25, CURATOR-110: a latch that was started before the first connection never takes part.
//!
//! *Mechanism:* the start comes before the connection: the create fails. The connection comes as `CONNECTED`, and the
//! listener reacts to `RECONNECTED` only. *Source:* <https://issues.apache.org/jira/browse/CURATOR-110>. *Violated:* who is
//! started has a node in the end. *Repair:* both states are the same to the listener.

use std::sync::Arc;

use overtake_recipes::CreateMode;
use overtake_recipes::client::ConnectionState;

use super::{Pair, Report};
use crate::client::{Client, Hub, Options};
use crate::programs::common::*;
use crate::simulated::Simulated;
use crate::sync::{Shuttle, Threads};

struct Latch {
    client: TestClient,
    node: Mutex<Option<String>>,
}

impl Latch {
    fn set_up(&self) {
        let mut node = Shuttle::lock(&self.node);
        if node.is_none() {
            *node = create(&self.client, "/lock/latch-", "", CreateMode::EphemeralSequential).ok();
        }
    }
}

pub(super) fn pair() -> Pair {
    Report {
        name: "O25 first connection ignored",
        source: "https://issues.apache.org/jira/browse/CURATOR-110",
        about: "A latch is started while its client is still connecting for the first time.",
        violates: "every candidate has a node",
        class: "lost wake-up/hang",
    }
    .pair(|stage, repaired| {
        let hub: TestHub = Hub::new(Simulated::new(1, &[LOCK]), 1);
        let client = Client::offline(&hub, 0, Options::default());
        ends(stage, &client);
        let latch = Arc::new(Latch { client: client.clone(), node: Shuttle::mutex("latch", None) });
        let listens = latch.clone();
        client.listen(move |state| match state {
            ConnectionState::Reconnected => listens.set_up(),
            ConnectionState::Connected if repaired => listens.set_up(),
            _ => {}
        });
        stage.thread("start", move || latch.set_up());
        stage.thread("connection", move || client.connect().expect("the server is there"));
        stage.rest();
        let because = || "the latch is started, the client is connected, and there is no node".into();
        stage.holds(nodes(&hub).len() == 1, "every candidate has a node", because);
    })
}
