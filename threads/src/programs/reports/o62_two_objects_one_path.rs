//! O62, Netflix/curator#75: two lock objects with one path in one thread.
//!
//! *Mechanism:* re-entrance is by object. The second object's node waits for the node of the first, which the same thread
//! holds. *Source:* <https://github.com/Netflix/curator/issues/75>. *Violated:* no wait without a wake-up. *Repair:* one
//! object for each path.

use std::sync::Arc;

use super::{Pair, Report};
use crate::mutex::{InterProcessLock, InterProcessMutex};
use crate::programs::common::*;

pub(super) fn pair() -> Pair {
    Report {
        name: "O62 two objects, one path",
        source: "https://github.com/Netflix/curator/issues/75",
        about: "A thread acquires a lock by one object, and again by another one on the same path.",
        violates: crate::check::NO_HANG,
        class: "self-deadlock/reentrancy",
    }
    .pair(|stage, repaired| {
        let (hub, clients) = clients(stage, 1);
        let client = clients[0].clone();
        stage.thread("main", move || {
            let first = Arc::new(InterProcessMutex::new(&client, LOCK));
            let second = if repaired { first.clone() } else { Arc::new(InterProcessMutex::new(&client, LOCK)) };
            first.acquire().expect("the first time");
            second.acquire().expect("the second time");
            second.release().expect("the second time");
            first.release().expect("the first time");
        });
        stage.rest_or(|_| hub.who_waits());
    })
}
