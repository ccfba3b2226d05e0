//! O02, kazoo#213: a semaphore that was not acquired is acquired later, by a callback.
//!
//! *Mechanism:* a non-blocking acquire finds the limit reached, leaves a watch whose callback is the routine that takes a
//! lease, and answers `False`. When the holder leaves, the callbacks of two such callers run outside of the inner lock:
//! each lists, finds no lease and creates one. *Source:* <https://github.com/python-zk/kazoo/issues/213>. *Violated:* no
//! more leases than allowed. *Repair:* look and create under the inner lock only.

use overtake_recipes::{CreateMode, Environment, ZooKeeper};

use super::{Pair, Report};
use crate::mutex::{InterProcessLock, InterProcessMutex};
use crate::programs::common::*;

const LEASES: &str = "/lock/leases";

fn take(client: &TestClient) {
    if children(client, LEASES).expect("a list").is_empty() {
        create(client, "/lock/leases/lease-", "", CreateMode::EphemeralSequential).expect("a lease");
    }
}

/// The callback of a caller that was told that it has no lease.
fn callback(client: &TestClient, repaired: bool) {
    if !repaired {
        return take(client);
    }
    let inner = InterProcessMutex::new(client, "/lock/locks");
    inner.acquire().expect("the inner lock");
    take(client);
    inner.release().expect("the inner lock is given back");
}

pub(super) fn pair() -> Pair {
    Report {
        name: "O02 lease by a callback",
        source: "https://github.com/python-zk/kazoo/issues/213",
        about: "Two callers were told that there is no lease. The watches that they left run the routine that takes one.",
        violates: "no more holders than permits",
        class: "mutual exclusion broken",
    }
    .pair(|stage, repaired| {
        let (hub, clients) = clients(stage, 3);
        for path in [LEASES, "/lock/locks"] {
            create(&clients[0], path, "", CreateMode::Persistent).expect("a folder");
        }
        let held = create(&clients[0], "/lock/leases/lease-", "", CreateMode::EphemeralSequential).expect("a lease");
        for (place, name) in [(1, "callback of B"), (2, "callback of C")] {
            let client = clients[place].clone();
            let watched = client.run(|env| async move { env.zookeeper().watch_children(LEASES).await });
            let (_, watch) = watched.expect("a watch");
            stage.thread(name, move || {
                next(&client, watch);
                callback(&client, repaired);
            });
        }
        stage.settle();
        delete(&clients[0], &held, None).expect("the holder leaves");
        stage.rest_or(|_| hub.who_waits());
        let leases = hub.with("counts leases", |zk| zk.children(LEASES).len());
        stage.holds(leases <= 1, "no more holders than permits", || format!("{leases} leases of 1 are out"));
    })
}
