//! O18, ZooKeeper's own `WriteLock`: the predecessor goes between list and watch, and nobody is ever told.
//!
//! *Mechanism:* the waiter lists, the holder leaves, the waiter's `exists` finds nothing and arms a watch for a creation
//! that never comes; the loop is not run again. *Source:* <https://github.com/shayhatsor/zookeeper/issues/26>. *Violated:*
//! no wait without a wake-up. *Repair:* where the predecessor is gone, list again.

use overtake_recipes::{CreateMode, Environment, ZooKeeper};

use super::{Pair, Report};
use crate::programs::common::*;

pub(super) fn pair() -> Pair {
    Report {
        name: "O18 wait for a creation",
        source: "https://github.com/shayhatsor/zookeeper/issues/26",
        about: "The node before the own one goes between the list and the look that sets the watch.",
        violates: crate::check::NO_HANG,
        class: "lost wake-up/hang",
    }
    .pair(|stage, repaired| {
        let (hub, clients) = clients(stage, 2);
        let first = create(&clients[0], "/lock/x-", "", CreateMode::EphemeralSequential).expect("a node");
        let holder = clients[0].clone();
        stage.thread("holder", move || delete(&holder, &first, None).expect("it leaves"));
        let waiter = clients[1].clone();
        stage.thread("waiter", move || {
            let own = create(&waiter, "/lock/x-", "", CreateMode::EphemeralSequential).expect("a node");
            loop {
                let names = children(&waiter, LOCK).expect("a list");
                let at = names.iter().position(|name| own.ends_with(name.as_str())).expect("the own node");
                if at == 0 {
                    break;
                }
                let before = format!("/lock/{}", names[at - 1]);
                let looked = waiter.run(|env| async move { env.zookeeper().watch_exists(&before).await });
                let (there, watch) = looked.expect("a look");
                if there.is_some() || !repaired {
                    next(&waiter, watch);
                }
            }
        });
        stage.rest_or(|_| hub.who_waits());
    })
}
