//! O05, curator PR 416: entering and leaving a barrier share a watcher.
//!
//! *Mechanism:* all have entered; the lowest member leaves, and waits on the recipe's monitor until the highest is gone. A
//! late event of entering ("ready" was created) wakes it; it takes the wake-up for the one that it waits for. *Source:*
//! <https://github.com/apache/curator/pull/416>. *Violated:* nobody leaves before all want to. *Repair:* look at the
//! phase's own condition after each wake-up.

use overtake_recipes::{CreateMode, Environment, ZooKeeper};

use super::{Pair, Report};
use crate::programs::common::*;
use crate::sync::{Role, Shuttle, Threads};

pub(super) fn pair() -> Pair {
    Report {
        name: "O05 one watcher for enter and leave",
        source: "https://github.com/apache/curator/pull/416",
        about: "A member waits for another to leave, on the monitor that an event of entering notifies late.",
        violates: "nobody leaves before all want to",
        class: "mutual exclusion broken",
    }
    .pair(|stage, repaired| {
        let (hub, clients) = clients(stage, 2);
        create(&clients[0], "/lock/member-a", "", CreateMode::Ephemeral).expect("a member");
        create(&clients[1], "/lock/member-b", "", CreateMode::Ephemeral).expect("a member");
        let monitor = Monitor::new("state of the barrier", ());
        for (name, path) in [("watcher of ready", "/lock/ready"), ("watcher of the other", "/lock/member-b")] {
            let (client, monitor) = (clients[0].clone(), monitor.clone());
            let watched = client.run(|env| async move { env.zookeeper().watch_exists(path).await });
            let (_, watch) = watched.expect("a watch");
            drop(Shuttle::spawn(Role::Daemon, name.into(), move || {
                next(&client, watch);
                monitor.change(|()| {});
            }));
        }
        stage.settle();
        let (client, own) = (clients[0].clone(), *stage);
        let there = hub.clone();
        stage.thread("leaver", move || {
            // The look and the sleep are one step for those who notify, as in a Java monitor.
            let mut waits = monitor.lock();
            while client
                .run(|env| async move { env.zookeeper().exists("/lock/member-b").await })
                .expect("a look")
                .is_some()
            {
                waits = monitor.wait(waits);
                if !repaired {
                    break;
                }
            }
            drop(waits);
            let other = there.with("looks for the other", |zk| zk.owner("/lock/member-b"));
            own.holds(other.is_none(), "nobody leaves before all want to", || {
                "the other member is still inside".into()
            });
        });
        let client = clients[1].clone();
        stage.thread("other member", move || {
            create(&client, "/lock/ready", "", CreateMode::Persistent).expect("all are there");
            delete(&client, "/lock/member-b", None).expect("it leaves");
        });
        stage.rest();
    })
}
