//! O46, zk-ruby#49: a waiter whose time is up leaves its node in the queue.
//!
//! *Mechanism:* the wait ends by its time-out, and nobody deletes the node. Whoever comes later waits behind somebody who
//! has left. *Source:* <https://github.com/zk-ruby/zk/issues/49>. *Violated:* no orphan node. *Repair:* clean up on every
//! way out.

use std::time::Duration;

use overtake_recipes::Lock;
use overtake_recipes::PredecessorLock;
use overtake_recipes::lock::faulty::NodeLeftAfterTimeout;

use super::{Pair, Report};
use crate::programs::common::*;

pub(super) fn pair() -> Pair {
    Report {
        name: "O46 timed-out waiter stays",
        source: "https://github.com/zk-ruby/zk/issues/49",
        about: "A thread waits for a lock for a time, while another holds it.",
        violates: "no orphan node",
        class: "orphan node/stuck lock",
    }
    .pair(|stage, repaired| {
        let (hub, clients) = clients(stage, 2);
        let held = clients[0].run(|env| async move { PredecessorLock::new(env, LOCK).acquire().await }).expect("held");
        let waiter = clients[1].clone();
        stage.thread("waiter", move || {
            let time = Duration::from_secs(1);
            let granted = waiter.run(|env| async move {
                match repaired {
                    true => PredecessorLock::new(env, LOCK).acquire_timeout(time).await,
                    false => NodeLeftAfterTimeout::new(env, LOCK).acquire_timeout(time).await,
                }
            });
            assert_eq!(granted, Ok(None));
        });
        stage.rest_or(|_| hub.who_waits());
        clients[0].run(|env| async move { PredecessorLock::new(env, LOCK).release(held).await }).expect("given back");
        no_orphan(stage, &hub);
    })
}
