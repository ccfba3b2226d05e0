//! O29, go-zookeeper f86b881: the watch is put into the client's table after its event has come.
//!
//! *Mechanism:* reply and event travel in one connection, the event second. The receiving loop hands the reply to the
//! caller, reads on, and finds nobody in the table for the event, since the caller has not put its channel there yet. The
//! event is dropped. *Source:* <https://github.com/go-zookeeper/zk/commit/f86b881>. *Violated:* an event that follows the
//! reply reaches the watch. *Repair:* the loop itself registers, before it reads on.

use super::{Pair, Report};
use crate::programs::common::*;
use crate::sync::{Role, Shuttle, Threads};

pub(super) fn pair() -> Pair {
    Report {
        name: "O29 registered after the reply",
        source: "https://github.com/go-zookeeper/zk/commit/f86b881",
        about: "An event comes in right behind the reply of the request that set its watch.",
        violates: crate::check::NO_HANG,
        class: "lost wake-up/hang",
    }
    .pair(|stage, repaired| {
        let reply = Monitor::new("reply", false);
        // Whether somebody waits for the event, and whether it has come.
        let table = Monitor::new("table of watches", (false, false));
        let (hand_over, watches) = (reply.clone(), table.clone());
        drop(Shuttle::spawn(Role::Daemon, "receiving loop".into(), move || {
            if repaired {
                watches.lock().0 = true;
            }
            hand_over.change(|there| *there = true);
            watches.change(|(registered, event)| *event = *registered);
        }));
        stage.thread("caller", move || {
            let mut there = reply.lock();
            while !*there {
                there = reply.wait(there);
            }
            drop(there);
            let mut watch = table.lock();
            watch.0 = true;
            while !watch.1 {
                watch = table.wait(watch);
            }
        });
        stage.rest_or(|_| "the event was dropped, and the caller waits for it".into());
    })
}
