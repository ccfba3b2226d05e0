//! O02, kazoo#213: a semaphore that was not acquired is acquired later, by a callback.
//!
//! *Mechanism:* a non-blocking acquire finds the limit reached, leaves a watch whose callback is the routine that takes a
//! lease, and answers `False`. When the holder leaves, the callbacks of two such callers run outside of the inner lock:
//! each lists, finds no lease and creates one. *Source:* <https://github.com/python-zk/kazoo/issues/213>. *Violated:* no
//! more leases than allowed, and who was told no has none. *Repair:* look and create under the inner lock only, and leave no
//! watch behind.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use overtake_recipes::{CreateMode, Environment, ZooKeeper};

use super::{Pair, Report};
use crate::mutex::{InterProcessLock, InterProcessMutex};
use crate::programs::common::*;
use crate::sync::{Role, Shuttle, Threads};

const LEASES: &str = "/lock/leases";

fn take(client: &TestClient) {
    if children(client, LEASES).expect("a list").is_empty() {
        create(client, "/lock/leases/lease-", "", CreateMode::EphemeralSequential).expect("a lease");
    }
}

/// Takes a lease if there is one, without waiting. Whoever is told that there is none leaves, as reported, a watch whose
/// callback is the routine that takes one.
fn try_acquire(client: &TestClient, repaired: bool) -> bool {
    let inner = InterProcessMutex::new(client, "/lock/locks");
    inner.acquire().expect("the inner lock");
    let looked = client.run(|env| async move { env.zookeeper().watch_children(LEASES).await });
    let (out, watch) = looked.expect("a list");
    if out.is_empty() {
        take(client);
    } else if !repaired {
        let client = client.clone();
        drop(Shuttle::spawn(Role::Daemon, "callback".into(), move || {
            next(&client, watch);
            take(&client);
        }));
    }
    inner.release().expect("the inner lock is given back");
    out.is_empty()
}

pub(super) fn pair() -> Pair {
    Report {
        name: "O02 lease by a callback",
        source: "https://github.com/python-zk/kazoo/issues/213",
        about: "Two callers try to get a lease while it is out, and the holder gives it back at some time.",
        violates: "no more holders than permits",
        class: "mutual exclusion broken",
    }
    .pair(|stage, repaired| {
        let (hub, clients) = clients(stage, 3);
        for path in [LEASES, "/lock/locks"] {
            create(&clients[0], path, "", CreateMode::Persistent).expect("a folder");
        }
        let held = create(&clients[0], "/lock/leases/lease-", "", CreateMode::EphemeralSequential).expect("a lease");
        let got = Arc::new(Shuttle::word("leases got", 0));
        for (place, name) in [(1, "B"), (2, "C")] {
            let (client, got, own) = (clients[place].clone(), got.clone(), *stage);
            stage.thread(name, move || {
                match try_acquire(&client, repaired) {
                    true => drop(Shuttle::fetch_add(&got, 1, SeqCst)),
                    false => own.reached("told that there is none"),
                };
            });
            stage.settle();
        }
        let holder = clients[0].clone();
        stage.thread("holder", move || delete(&holder, &held, None).expect("it leaves"));
        stage.rest_or(|_| hub.who_waits());
        let leases = hub.with("counts leases", |zk| zk.children(LEASES).len());
        stage.holds(leases <= 1, "no more holders than permits", || format!("{leases} leases of 1 are out"));
        let got = Shuttle::load(&got, SeqCst);
        let because = || format!("{leases} leases are out, and {got} callers were told that they have one");
        stage.holds(leases == got, "no more holders than permits", because);
    })
}
