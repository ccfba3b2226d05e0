//! O40, CURATOR-678: a release that loses its connection forgets the node.
//!
//! *Mechanism:* the delete is lost with the connection, the owner's entry is removed in any case, and nobody deletes the
//! node when the connection is back: it blocks everybody for as long as the session lives. *Source:*
//! <https://github.com/apache/curator/issues/1193>. *Violated:* no orphan node. *Repair:* the delete goes on in the
//! background.

use overtake_recipes::lock::{CuratorMutex, Queue, Unowned};
use overtake_recipes::{Acquired, Environment, Lock, LockError, ZooKeeper};

use super::{Pair, Report};
use crate::client::Env;
use crate::mutex::{InterProcessLock, InterProcessMutex};
use crate::programs::common::*;
use crate::simulated::Simulated;
use crate::sync::Shuttle;

/// Without retries; whether it is forgetful is the type's matter.
struct Impatient<E: Environment, const FORGETS: bool>(CuratorMutex<E>);

impl<E: Environment, const FORGETS: bool> Lock<E> for Impatient<E, FORGETS> {
    fn new(env: E, parent: &str) -> Self {
        Self(CuratorMutex::without_retries(env, parent))
    }

    fn queue(&self) -> &Queue<E> {
        self.0.queue()
    }

    async fn acquire(&self) -> Result<Acquired, LockError> {
        self.0.acquire().await
    }
}

impl<E: Environment, const FORGETS: bool> Unowned<E> for Impatient<E, FORGETS> {
    const REENTRY_NEEDS_THE_SESSION: bool = false;

    async fn give_back(&self, lock: Acquired) -> Result<(), LockError> {
        if !FORGETS {
            return self.0.give_back(lock).await;
        }
        Ok(self.queue().env().zookeeper().delete(&lock.path, None).await?)
    }
}

type Over<const FORGETS: bool> = InterProcessMutex<Shuttle, Simulated, Impatient<Env<Shuttle, Simulated>, FORGETS>>;

pub(super) fn pair() -> Pair {
    Report {
        name: "O40 release forgets",
        source: "https://github.com/apache/curator/issues/1193",
        about: "The connection breaks while a lock is released, and comes back in the same session.",
        violates: "no orphan node",
        class: "orphan node/stuck lock",
    }
    .pair(|stage, repaired| {
        let (hub, clients) = clients(stage, 1);
        let client = clients[0].clone();
        let mutex: Box<dyn InterProcessLock<Shuttle>> = match repaired {
            true => Box::new(Over::<false>::over(&client, LOCK)),
            false => Box::new(Over::<true>::over(&client, LOCK)),
        };
        let ready = Monitor::new("granted", false);
        let (granted, faulty) = (ready.clone(), hub.clone());
        stage.thread("holder", move || {
            mutex.acquire().expect("nobody else is there");
            granted.change(|granted| *granted = true);
            // An error says that the connection was lost.
            let _ = mutex.release();
        });
        stage.fault("connection breaks", move || {
            let mut granted = ready.lock();
            while !*granted {
                granted = ready.wait(granted);
            }
            drop(granted);
            faulty.disconnect(0);
            faulty.reconnect(0);
        });
        stage.rest();
        no_orphan(stage, &hub);
    })
}
