//! O23, CURATOR-73: a selector that was interrupted is never queued again.
//!
//! *Mechanism:* leadership is cancelled by an interrupt; the loop leaves because its thread is interrupted, without taking
//! back the flag that says "queued". Whoever wants to queue it again finds the flag set, and does nothing. *Source:*
//! <https://github.com/apache/curator/issues/594>. *Violated:* a live client is a candidate again. *Repair:* the flag is
//! taken back on every way out.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use overtake_recipes::CreateMode;
use overtake_recipes::client::ConnectionState;

use super::{Pair, Report};
use crate::block_on::Interrupt;
use crate::programs::common::*;
use crate::sync::{Role, Shuttle, Threads};

struct Selector {
    client: TestClient,
    queued: <Shuttle as Threads>::Flag,
    interrupt: Interrupt<Shuttle>,
    repaired: bool,
}

impl Selector {
    fn requeue(self: &Arc<Self>) {
        if Shuttle::swap_flag(&self.queued, true, SeqCst) {
            return;
        }
        let this = self.clone();
        drop(Shuttle::spawn(Role::Daemon, "election".into(), move || this.elect()));
    }

    /// Makes a candidate of the client, and leads until it is interrupted. (Nobody else is there.)
    fn elect(&self) {
        let _ = create(&self.client, "/lock/candidate", "", CreateMode::Ephemeral);
        if self.client.run_or(&self.interrupt, |_| std::future::pending::<()>()).is_err() {
            self.interrupt.clear();
            if !self.repaired {
                return;
            }
        }
        Shuttle::set(&self.queued, false, SeqCst);
    }
}

pub(super) fn pair() -> Pair {
    Report {
        name: "O23 never queued again",
        source: "https://github.com/apache/curator/issues/594",
        about: "A leader is interrupted when the connection is lost; afterwards the selector is to be a candidate again.",
        violates: "every candidate has a node",
        class: "lost wake-up/hang",
    }
    .pair(|stage, repaired| {
        let (hub, clients) = clients(stage, 1);
        let selector = Arc::new(Selector {
            client: clients[0].clone(),
            queued: Shuttle::flag("queued mark", false),
            interrupt: Interrupt::new(),
            repaired,
        });
        let listens = selector.clone();
        clients[0].listen(move |state| {
            if state == ConnectionState::Suspended {
                listens.interrupt.interrupt();
            }
        });
        selector.requeue();
        let (faulty, client) = (hub.clone(), clients[0].clone());
        stage.thread("connection", move || faulty.expire(0));
        stage.rest();
        let faulty = hub.clone();
        stage.thread("connection is back", move || {
            faulty.reconnect(0);
            client.connect().expect("a new session");
            selector.requeue();
        });
        stage.rest();
        let there = hub.with("looks for the candidate", |zk| zk.owner("/lock/candidate"));
        let because = || "the client is connected, was told to be a candidate, and has no node".into();
        stage.holds(there.is_some(), "every candidate has a node", because);
    })
}
