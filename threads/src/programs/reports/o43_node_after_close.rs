//! O43, CURATOR-3: a latch makes a node after it was closed.
//!
//! *Mechanism:* a handler looks whether the latch is started; another thread closes it, and deletes the node; the handler
//! does not find the node in its list, and resets: a new node, which nobody will ever take away. *Source:*
//! <https://github.com/apache/curator/issues/524>. *Violated:* no orphan node. *Repair:* look again after the create.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use overtake_recipes::CreateMode;

use super::{Pair, Report};
use crate::programs::common::*;
use crate::sync::{Shuttle, Threads};

struct Latch {
    client: TestClient,
    started: <Shuttle as Threads>::Flag,
    node: Mutex<Option<String>>,
    repaired: bool,
}

impl Latch {
    fn create(&self) {
        let node = create(&self.client, "/lock/latch-", "", CreateMode::EphemeralSequential).expect("a node");
        *Shuttle::lock(&self.node) = Some(node);
        if self.repaired && !Shuttle::is_set(&self.started, SeqCst) {
            self.delete();
        }
    }

    fn delete(&self) {
        let node = Shuttle::lock(&self.node).take();
        if let Some(node) = node {
            delete(&self.client, &node, None).expect("it is there");
        }
    }

    fn handle(&self) {
        if !Shuttle::is_set(&self.started, SeqCst) {
            return;
        }
        let list = children(&self.client, LOCK).expect("a list");
        let own = Shuttle::lock(&self.node).clone();
        if !own.is_some_and(|own| list.iter().any(|name| own.ends_with(name.as_str()))) {
            self.create();
        }
    }

    fn close(&self) {
        Shuttle::set(&self.started, false, SeqCst);
        self.delete();
    }
}

pub(super) fn pair() -> Pair {
    Report {
        name: "O43 node after close",
        source: "https://github.com/apache/curator/issues/524",
        about: "A latch is closed while a handler of it is looking for the node.",
        violates: "no orphan node",
        class: "orphan node/stuck lock",
    }
    .pair(|stage, repaired| {
        let (hub, clients) = clients(stage, 1);
        let latch = Arc::new(Latch {
            client: clients[0].clone(),
            started: Shuttle::flag("started mark", true),
            node: Shuttle::mutex("node", None),
            repaired,
        });
        latch.create();
        let (handles, closes) = (latch.clone(), latch);
        stage.thread("handler", move || handles.handle());
        stage.thread("closer", move || closes.close());
        stage.rest();
        no_orphan(stage, &hub);
    })
}
