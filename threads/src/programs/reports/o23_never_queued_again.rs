//! O23, CURATOR-73: a selector that was interrupted is never queued again.
//!
//! *Mechanism:* leadership is cancelled by an interrupt; the loop leaves because its thread is interrupted, without taking
//! back the flag that says "queued". Whoever wants to queue it again finds the flag set, and does nothing. *Source:*
//! <https://github.com/apache/curator/issues/594>. *Violated:* a live client is a candidate again. *Repair:* the flag is
//! taken back on every way out.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use super::{Pair, Report};
use crate::block_on::Interrupt;
use crate::programs::common::*;
use crate::sync::{Role, Shuttle, Threads};

struct Selector {
    client: TestClient,
    queued: <Shuttle as Threads>::Flag,
    interrupt: Interrupt<Shuttle>,
    rounds: <Shuttle as Threads>::Word,
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

    fn elect(&self) {
        let round = Shuttle::fetch_add(&self.rounds, 1, SeqCst);
        if round == 0 && self.client.run_or(&self.interrupt, |_| std::future::pending::<()>()).is_err() {
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
        let (_, clients) = clients(stage, 1);
        let selector = Arc::new(Selector {
            client: clients[0].clone(),
            queued: Shuttle::flag("queued", false),
            interrupt: Interrupt::new(),
            rounds: Shuttle::word("rounds", 0),
            repaired,
        });
        selector.requeue();
        let (lost, back) = (selector.clone(), selector.clone());
        stage.thread("connection is lost", move || lost.interrupt.interrupt());
        stage.rest();
        stage.thread("connection is back", move || back.requeue());
        stage.rest();
        let rounds = Shuttle::load(&selector.rounds, SeqCst);
        let because = || format!("the client is connected, and was a candidate {rounds} time only");
        stage.holds(rounds == 2, "every candidate has a node", because);
    })
}
