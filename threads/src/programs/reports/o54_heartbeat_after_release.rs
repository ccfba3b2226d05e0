//! O54, dynamodb-lock-client#1: the heartbeat goes on after the release.
//!
//! *Mechanism:* a heartbeat's write is under way; the release takes the timer away and deletes the record. The callback of
//! the write sets the timer again, and the next heartbeat writes the record anew. *Source:*
//! <https://github.com/tristanls/dynamodb-lock-client/issues/1>. *Violated:* no orphan node. *Repair:* the callback looks
//! whether the lock was released.

use std::sync::Arc;

use overtake_recipes::{CreateMode, ZkError};

use super::{Pair, Report};
use crate::programs::common::*;
use crate::sync::{Shuttle, Threads};

struct Record {
    client: TestClient,
    /// Whether the timer runs, and whether the lock was released.
    state: Mutex<(bool, bool)>,
    repaired: bool,
}

impl Record {
    /// Writes the record; as reported, whether or not there is one.
    fn put(&self) {
        let written = set(&self.client, "/lock/record", "alive", None);
        if written == Err(ZkError::NoNode) && !self.repaired {
            let _ = create(&self.client, "/lock/record", "alive", CreateMode::Persistent);
        }
    }

    /// While the timer runs: two heartbeats are enough to see it.
    fn heartbeats(&self) {
        for _ in 0..2 {
            if !std::mem::take(&mut Shuttle::lock(&self.state).0) {
                return;
            }
            self.put();
            let mut state = Shuttle::lock(&self.state);
            state.0 = !(self.repaired && state.1);
        }
    }

    fn release(&self) {
        // A release that looks first waits for the write that is under way.
        *Shuttle::lock(&self.state) = (false, true);
        // Nothing is there if the second one came first.
        let _ = delete(&self.client, "/lock/record", None);
    }
}

pub(super) fn pair() -> Pair {
    Report {
        name: "O54 heartbeat after release",
        source: "https://github.com/tristanls/dynamodb-lock-client/issues/1",
        about: "A lock is released while the write of a heartbeat is under way.",
        violates: "no renewal after the release",
        class: "orphan node/stuck lock",
    }
    .pair(|stage, repaired| {
        let (hub, clients) = clients(stage, 1);
        create(&clients[0], "/lock/record", "alive", CreateMode::Persistent).expect("the record");
        let state = Shuttle::mutex("timer", (true, false));
        let record = Arc::new(Record { client: clients[0].clone(), state, repaired });
        let (beats, releases) = (record.clone(), record.clone());
        stage.thread("heartbeat", move || beats.heartbeats());
        stage.thread("releaser", move || releases.release());
        stage.rest();
        let runs = Shuttle::lock(&record.state).0;
        stage.holds(!runs, "no renewal after the release", || "the lock is released, and its timer runs".into());
        let left = !nodes(&hub).is_empty();
        stage.holds(!left, "no renewal after the release", || "the lock is released, and its record is there".into());
    })
}
