//! O59, CURATOR-495: a recipe blocks the event thread.
//!
//! *Mechanism:* a thread holds the recipe's monitor and makes a call, which is tried again while there is no connection.
//! The event thread delivers an event to the recipe's watcher, which needs the monitor; so it never comes to the event
//! that says that the connection is back, for which the first thread waits. *Source:*
//! <https://github.com/apache/curator/issues/1015>. *Violated:* the event thread does not wait for a thread that waits for
//! it. *Repair:* the watcher posts to another thread.

use std::collections::VecDeque;

use super::{Pair, Report};
use crate::programs::common::*;
use crate::sync::{Role, Shuttle, Threads};

#[derive(Clone, Copy)]
enum Event {
    /// For the recipe's watcher: the session is over.
    Expired,
    Connected,
    /// The stage is cleared.
    End,
}

pub(super) fn pair() -> Pair {
    Report {
        name: "O59 event thread blocked",
        source: "https://github.com/apache/curator/issues/1015",
        about: "A thread calls the server under the recipe's monitor while the connection is being repaired.",
        violates: crate::check::NO_HANG,
        class: "deadlock",
    }
    .pair(|stage, repaired| {
        let queue = Monitor::new("event queue", VecDeque::<Event>::new());
        let connected = Monitor::new("connection", false);
        let recipe = Monitor::new("recipe", 0);
        let (events, connection, watcher) = (queue.clone(), connected.clone(), recipe.clone());
        drop(Shuttle::spawn(Role::Daemon, "event thread".into(), move || {
            loop {
                let mut waiting = events.lock();
                while waiting.is_empty() {
                    waiting = events.wait(waiting);
                }
                let event = waiting.pop_front();
                drop(waiting);
                match event {
                    Some(Event::Expired) if repaired => {
                        let watcher = watcher.clone();
                        let posted = move || watcher.change(|woken| *woken += 1);
                        drop(Shuttle::spawn(Role::Daemon, "executor".into(), posted));
                    }
                    Some(Event::Expired) => watcher.change(|woken| *woken += 1),
                    Some(Event::Connected) => connection.change(|connected| *connected = true),
                    Some(Event::End) | None => return,
                }
            }
        }));
        let ends = queue.clone();
        stage.in_the_end(move || ends.change(|events| events.push_back(Event::End)));
        stage.thread("waiter", move || {
            let inside = recipe.lock();
            // getChildren, which is tried again until there is a connection.
            let mut there = connected.lock();
            while !*there {
                there = connected.wait(there);
            }
            drop(there);
            drop(inside);
        });
        stage.thread("network", move || {
            queue.change(|events| events.push_back(Event::Expired));
            queue.change(|events| events.push_back(Event::Connected));
        });
        stage.rest_or(|_| {
            "the waiter holds the recipe's monitor and waits for the connection; the event thread has the news, and waits for \
             the recipe's monitor"
                .into()
        });
    })
}
