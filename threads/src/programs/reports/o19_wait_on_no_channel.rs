//! O19, go-zookeeper PR 10: a waiter receives from a channel that nobody holds the other end of.
//!
//! *Mechanism:* the predecessor goes before the watched read; the read says so, which is tolerated, and with the error no
//! channel was made. The waiter receives from nothing, for ever. *Source:*
//! <https://github.com/samuel/go-zookeeper/pull/10>. *Violated:* no wait without a wake-up. *Repair:* where the node is
//! gone, list again.

use overtake_recipes::{CreateMode, Environment, ZkError, ZooKeeper};

use super::{Pair, Report};
use crate::programs::common::*;

pub(super) fn pair() -> Pair {
    Report {
        name: "O19 wait on no channel",
        source: "https://github.com/samuel/go-zookeeper/pull/10",
        about: "The watched read of the node before the own one finds nothing, and the waiter waits for an event all the same.",
        violates: crate::check::NO_HANG,
        class: "lost wake-up/hang",
    }
    .pair(|stage, repaired| {
        let (_, clients) = clients(stage, 2);
        let first = create(&clients[0], "/lock/lock-", "", CreateMode::EphemeralSequential).expect("a node");
        let holder = clients[0].clone();
        stage.thread("holder", move || delete(&holder, &first, None).expect("it leaves"));
        let waiter = clients[1].clone();
        stage.thread("waiter", move || {
            let own = create(&waiter, "/lock/lock-", "", CreateMode::EphemeralSequential).expect("a node");
            loop {
                let names = children(&waiter, LOCK).expect("a list");
                let at = names.iter().position(|name| own.ends_with(name.as_str())).expect("the own node");
                if at == 0 {
                    break;
                }
                let before = format!("/lock/{}", names[at - 1]);
                match waiter.run(|env| async move { env.zookeeper().watch_data(&before).await }) {
                    Ok((_, _, watch)) => next(&waiter, watch),
                    Err(ZkError::NoNode) if repaired => {}
                    Err(_) => waiter.run(|_| std::future::pending()),
                }
            }
        });
        stage.rest_or(|_| "the waiter waits for an event, and has set no watch".into());
    })
}
