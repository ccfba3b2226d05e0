//! O22, CURATOR-75: a semaphore does not notice that its limit was raised.
//!
//! *Mechanism:* an acquire sleeps on the monitor, since there are as many leases as may be. Another client raises the
//! shared limit; the listener stores it, and wakes nobody. *Source:* <https://github.com/apache/curator/issues/596>.
//! *Violated:* who waits is woken by each thing that it waits for. *Repair:* the listener notifies.

use overtake_recipes::{CreateMode, Environment, ZooKeeper};

use super::{Pair, Report};
use crate::programs::common::*;
use crate::sync::{Role, Shuttle, Threads};

pub(super) fn pair() -> Pair {
    Report {
        name: "O22 raised limit unnoticed",
        source: "https://github.com/apache/curator/issues/596",
        about: "A thread waits for a lease while another client raises the number of leases that there may be.",
        violates: crate::check::NO_HANG,
        class: "lost wake-up/hang",
    }
    .pair(|stage, repaired| {
        let (_, clients) = clients(stage, 2);
        create(&clients[0], "/lock/limit", "1", CreateMode::Persistent).expect("the limit");
        // One lease is out, of as many as the monitor says.
        let most = Monitor::new("limit", 1);
        let client = clients[0].clone();
        let watched = client.run(|env| async move { env.zookeeper().watch_data("/lock/limit").await });
        let (_, _, watch) = watched.expect("a watch");
        let told = most.clone();
        drop(Shuttle::spawn(Role::Daemon, "limit listener".into(), move || {
            next(&client, watch);
            let limit = get(&client, "/lock/limit").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
            *told.lock() = limit;
            if repaired {
                told.notify();
            }
        }));
        stage.settle();
        stage.thread("waiter", move || {
            let mut limit = most.lock();
            while *limit < 2 {
                limit = most.wait(limit);
            }
        });
        let other = clients[1].clone();
        stage.thread("other client", move || set(&other, "/lock/limit", "2", None).expect("it is there"));
        stage.rest_or(|_| "there is a free lease, and the waiter sleeps".into());
    })
}
