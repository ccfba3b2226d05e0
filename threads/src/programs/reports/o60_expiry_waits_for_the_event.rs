//! O60, KAFKA-8532: the new session waits for an event, which waits for the session.
//!
//! *Mechanism:* the handler of an expiry queues an event and waits until the event thread has processed it, before it
//! opens a new session. The event thread is within another event, which waits for a live session. *Source:*
//! <https://github.com/apache/kafka/pull/7988>. *Violated:* no wait without a wake-up. *Repair:* the session is opened
//! first.

use super::{Pair, Report};
use crate::programs::common::*;
use crate::sync::{Role, Shuttle, Threads};

pub(super) fn pair() -> Pair {
    Report {
        name: "O60 expiry waits for the event",
        source: "https://github.com/apache/kafka/pull/7988",
        about: "A session is over while the event thread works on an event that needs one.",
        violates: crate::check::NO_HANG,
        class: "deadlock",
    }
    .pair(|stage, repaired| {
        let alive = Monitor::new("session", true);
        // Events that are queued, and events that are done.
        let events = Monitor::new("event queue", (1, 0));
        let (session, queue) = (alive.clone(), events.clone());
        drop(Shuttle::spawn(Role::Daemon, "event thread".into(), move || {
            for event in 0..2 {
                let mut waiting = queue.lock();
                while waiting.0 == waiting.1 {
                    waiting = queue.wait(waiting);
                }
                drop(waiting);
                if event == 0 {
                    // It needs a session.
                    let mut alive = session.lock();
                    while !*alive {
                        alive = session.wait(alive);
                    }
                }
                queue.change(|events| events.1 += 1);
            }
        }));
        stage.thread("expiry handler", move || {
            *alive.lock() = false;
            if repaired {
                alive.change(|alive| *alive = true);
            }
            events.change(|events| events.0 += 1);
            let mut done = events.lock();
            while done.1 < 2 {
                done = events.wait(done);
            }
            drop(done);
            alive.change(|alive| *alive = true);
        });
        stage.rest_or(|_| {
            "the expiry handler waits for the event thread before it opens a session; the event thread waits for a session".into()
        });
    })
}
