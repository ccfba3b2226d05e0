//! O38, CURATOR-79: an interrupt during the create leaves a node that nobody knows.
//!
//! *Mechanism:* a thread is interrupted while the answer to its create is on the way. The server has made the node; the
//! exception goes past the cleaning up that a lost connection would have led to. *Source:*
//! <https://github.com/apache/curator/issues/600>. *Violated:* no orphan node. *Repair:* whatever ends the create, the node
//! is searched by its id and deleted.

use std::sync::Arc;

use overtake_recipes::client::{Client as Layer, Options as LayerOptions, RetryPolicy};
use overtake_recipes::names::join;
use overtake_recipes::{CreateMode, Environment, ZooKeeper};

use super::{Pair, Report};
use crate::block_on::Interrupt;
use crate::client::Options;
use crate::programs::common::*;

pub(super) fn pair() -> Pair {
    Report {
        name: "O38 interrupted create",
        source: "https://github.com/apache/curator/issues/600",
        about: "A thread is interrupted while the answer to its create is on its way.",
        violates: "no orphan node",
        class: "orphan node/stuck lock",
    }
    .pair(|stage, repaired| {
        let (hub, clients) = clients_with(stage, 1, Options { replies_queue: true });
        let interrupt = Arc::new(Interrupt::new());
        let (client, signal) = (clients[0].clone(), interrupt.clone());
        stage.thread("acquirer", move || {
            let mode = CreateMode::EphemeralSequential;
            let made = client.run_or(&signal, |env| async move {
                if !repaired {
                    return env.zookeeper().create("/lock/_c_mine-lock-", b"", mode).await;
                }
                let options = LayerOptions { policy: RetryPolicy::never(), syncs_before_search: false };
                let name = Layer::new(env, options).create_protected(LOCK, "lock-", mode, &[]).await?;
                Ok(join(LOCK, &name))
            });
            signal.clear();
            if let Ok(Ok(path)) = made {
                delete(&client, &path, None).expect("it is given back");
            }
        });
        stage.thread("interrupter", move || interrupt.interrupt());
        stage.rest();
        no_orphan(stage, &hub);
    })
}
