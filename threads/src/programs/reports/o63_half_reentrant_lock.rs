//! O63, kazoo#291 and #134: a lock that is re-entrant by half.
//!
//! *Mechanism:* an object that holds the lock answers `True` to every acquire, also of another thread. The first release
//! deletes the node; the others go on unprotected, and a third party is granted. *Source:*
//! <https://github.com/python-zk/kazoo/issues/291>. *Violated:* at most one live holder. *Repair:* the object has a lock of
//! its own, and who does not hold it waits.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use overtake_recipes::lock::Unowned;
use overtake_recipes::{Acquired, Lock, lock::CuratorMutex};

use super::{Pair, Report};
use crate::programs::common::*;
use crate::sync::{Shuttle, Threads};

struct Object {
    client: TestClient,
    acquired: Mutex<Option<Acquired>>,
    /// Whether a thread is between acquire and release.
    taken: Arc<Monitor<bool>>,
    repaired: bool,
}

impl Object {
    fn acquire(&self) {
        if self.repaired {
            let mut taken = self.taken.lock();
            while *taken {
                taken = self.taken.wait(taken);
            }
            *taken = true;
        }
        if Shuttle::lock(&self.acquired).is_some() {
            return;
        }
        let granted = self.client.run(|env| async move { CuratorMutex::new(env, LOCK).acquire().await });
        *Shuttle::lock(&self.acquired) = Some(granted.expect("granted"));
    }

    fn release(&self) {
        let held = Shuttle::lock(&self.acquired).take();
        if let Some(held) = held {
            let given = self.client.run(|env| async move { CuratorMutex::new(env, LOCK).give_back(held).await });
            given.expect("given back");
        }
        if self.repaired {
            self.taken.change(|taken| *taken = false);
        }
    }
}

pub(super) fn pair() -> Pair {
    Report {
        name: "O63 half re-entrant lock",
        source: "https://github.com/python-zk/kazoo/issues/291",
        about: "Two threads acquire by one object, which is held already for the second of them.",
        violates: "at most one live holder",
        class: "self-deadlock/reentrancy",
    }
    .pair(|stage, repaired| {
        let (hub, clients) = clients(stage, 1);
        let object = Arc::new(Object {
            client: clients[0].clone(),
            acquired: Shuttle::mutex("record of the grant", None),
            taken: Monitor::new("lock of the object", false),
            repaired,
        });
        let inside = Arc::new(Shuttle::word("critical section", 0));
        for name in ["thread 1", "thread 2"] {
            let (object, inside, own) = (object.clone(), inside.clone(), *stage);
            stage.thread(name, move || {
                object.acquire();
                let others = Shuttle::fetch_add(&inside, 1, SeqCst);
                own.holds(others == 0, "at most one live holder", || "both threads are in the section".into());
                Shuttle::fetch_sub(&inside, 1, SeqCst);
                object.release();
            });
        }
        stage.rest_or(|_| hub.who_waits());
    })
}
