//! O67, dynamodb-lock-client#21: a release uses a version that a heartbeat has just changed.
//!
//! *Mechanism:* the heartbeat changes the record's version at the server; before its answer is in, the release asks for the
//! old version. The condition fails, and the record stays. *Source:*
//! <https://github.com/tristanls/dynamodb-lock-client/issues/21>. *Violated:* no orphan node. *Repair:* one conditional
//! write at a time.

use std::sync::Arc;

use overtake_recipes::CreateMode;

use super::{Pair, Report};
use crate::programs::common::*;
use crate::sync::{Shuttle, Threads};

struct Record {
    client: TestClient,
    version: Mutex<i32>,
    /// Held over a whole write, where writes are one at a time.
    writes: Arc<Monitor<bool>>,
    repaired: bool,
}

impl Record {
    fn alone(&self, act: impl FnOnce()) {
        if !self.repaired {
            return act();
        }
        let mut taken = self.writes.lock();
        while *taken {
            taken = self.writes.wait(taken);
        }
        *taken = true;
        drop(taken);
        act();
        self.writes.change(|taken| *taken = false);
    }

    fn heartbeat(&self) {
        self.alone(|| {
            let known = *Shuttle::lock(&self.version);
            if let Ok(version) = set(&self.client, "/lock/record", "alive", Some(known)) {
                *Shuttle::lock(&self.version) = version;
            }
        });
    }

    fn release(&self) {
        self.alone(|| {
            let known = *Shuttle::lock(&self.version);
            // An error is answered to the caller, and the record stays.
            let _ = delete(&self.client, "/lock/record", Some(known));
        });
    }
}

pub(super) fn pair() -> Pair {
    Report {
        name: "O67 release with stale version",
        source: "https://github.com/tristanls/dynamodb-lock-client/issues/21",
        about: "A record is released while a heartbeat is changing its version.",
        violates: "no orphan node",
        class: "ownership violation",
    }
    .pair(|stage, repaired| {
        let (hub, clients) = clients(stage, 1);
        create(&clients[0], "/lock/record", "alive", CreateMode::Persistent).expect("the record");
        let record = Arc::new(Record {
            client: clients[0].clone(),
            version: Shuttle::mutex("version", 0),
            writes: Monitor::new("writes", false),
            repaired,
        });
        let (beats, releases) = (record.clone(), record);
        stage.thread("heartbeat", move || beats.heartbeat());
        stage.thread("releaser", move || releases.release());
        stage.rest();
        no_orphan(stage, &hub);
    })
}
