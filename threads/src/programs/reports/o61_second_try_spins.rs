//! O61, kazoo#315: a second try of a held lock is repeated without end.
//!
//! *Mechanism:* the object holds the lock already; the inner routine of a non-blocking acquire says "try again", and the
//! helper does. *Source:* <https://github.com/python-zk/kazoo/issues/315>. *Violated:* a try returns after so many steps.
//! *Repair:* answer `False` at once.

use std::sync::Arc;

use super::{Pair, Report};
use crate::sync::{Shuttle, Threads};

/// More rounds than any try needs.
const ENOUGH: usize = 8;

pub(super) fn pair() -> Pair {
    Report {
        name: "O61 second try spins",
        source: "https://github.com/python-zk/kazoo/issues/315",
        about: "A thread tries to acquire a lock that it holds by the same object.",
        violates: "a try returns after so many steps",
        class: "self-deadlock/reentrancy",
    }
    .pair(|stage, repaired| {
        let acquired = Arc::new(Shuttle::mutex("lock object", false));
        let own = *stage;
        stage.thread("main", move || {
            *Shuttle::lock(&acquired) = true;
            let mut rounds = 0;
            let granted = loop {
                if !*Shuttle::lock(&acquired) {
                    break true;
                }
                if repaired {
                    break false;
                }
                rounds += 1;
                let because = || format!("a try went round {rounds} times, and nothing has changed");
                own.holds(rounds < ENOUGH, "a try returns after so many steps", because);
                if own.is_violated() {
                    return;
                }
            };
            assert!(!granted);
        });
        stage.rest();
    })
}
