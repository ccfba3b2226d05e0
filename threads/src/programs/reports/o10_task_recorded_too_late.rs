//! O10, CURATOR-54: a lost leadership cannot be cancelled, since it is not known yet whom to cancel.
//!
//! *Mechanism:* the election thread acquires the mutex, and records its thread before it begins to lead. The connection
//! drops in between: the state listener wants to interrupt the leader, finds nobody recorded, and does nothing. The leader
//! begins and goes on for ever. *Source:* <https://github.com/apache/curator/issues/575>. *Violated:* a loss that is told
//! ends the leader. *Repair:* the handle is recorded before the election begins.

use std::sync::Arc;

use overtake_recipes::client::ConnectionState;

use super::{Pair, Report};
use crate::block_on::Interrupt;
use crate::mutex::{InterProcessLock, InterProcessMutex};
use crate::programs::common::*;
use crate::sync::{Shuttle, Threads};

pub(super) fn pair() -> Pair {
    Report {
        name: "O10 task recorded too late",
        source: "https://github.com/apache/curator/issues/575",
        about: "The connection is lost between the grant and the moment at which the leader is recorded for being cancelled.",
        violates: crate::check::NO_HANG,
        class: "two holders after pause/expiry",
    }
    .pair(|stage, repaired| {
        let (hub, clients) = clients(stage, 1);
        let leader = Arc::new(Shuttle::mutex("recorded leader", None::<Arc<Interrupt<Shuttle>>>));
        let (client, recorded) = (clients[0].clone(), leader.clone());
        let granted = Monitor::new("sign that the lock is granted", false);
        let grants = granted.clone();
        stage.thread("leader", move || {
            let handle = Arc::new(Interrupt::new());
            if repaired {
                *Shuttle::lock(&recorded) = Some(handle.clone());
            }
            let mutex = InterProcessMutex::new(&client, LOCK);
            mutex.acquire().expect("it is elected");
            grants.change(|granted| *granted = true);
            *Shuttle::lock(&recorded) = Some(handle.clone());
            // Leads until it is interrupted.
            let led = client.run_or(&handle, |_| std::future::pending::<()>());
            assert!(led.is_err());
        });
        clients[0].listen(move |state| {
            if state == ConnectionState::Suspended {
                let recorded = Shuttle::lock(&leader).clone();
                if let Some(leader) = recorded {
                    leader.interrupt();
                }
            }
        });
        let faulty = hub.clone();
        stage.thread("connection", move || {
            let mut elected = granted.lock();
            while !*elected {
                elected = granted.wait(elected);
            }
            drop(elected);
            faulty.disconnect(0);
        });
        stage.rest_or(|_| "the leader goes on, though it was told that leadership is lost".into());
    })
}
