//! O28, spring-integration#3716: a release is published before anybody can hear it.
//!
//! *Mechanism:* a waiter subscribes while the container of listeners is still starting. The release is published in
//! between and lost; the waiter sleeps until its time is up. *Source:*
//! <https://github.com/spring-projects/spring-integration/issues/3716>. *Violated:* no wait without a wake-up. *Repair:*
//! wait until the container runs, and after subscribing try once more.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use super::{Pair, Report};
use crate::programs::common::*;
use crate::sync::{Shuttle, Threads};

pub(super) fn pair() -> Pair {
    Report {
        name: "O28 listener not yet running",
        source: "https://github.com/spring-projects/spring-integration/issues/3716",
        about: "A lock is released while the channel by which waiters are told is still being set up.",
        violates: crate::check::NO_HANG,
        class: "lost wake-up/hang",
    }
    .pair(|stage, repaired| {
        let runs = Monitor::new("container", false);
        let told = Monitor::new("subscription", false);
        let free = Arc::new(Shuttle::flag("lock", false));
        let container = runs.clone();
        stage.thread("container", move || container.change(|runs| *runs = true));
        let (heard, released, live) = (told.clone(), free.clone(), runs.clone());
        stage.thread("holder", move || {
            Shuttle::set(&released, true, SeqCst);
            // Published: whoever is not listening misses it.
            let listening = *live.lock();
            if listening {
                heard.change(|told| *told = true);
            }
        });
        stage.thread("waiter", move || {
            if Shuttle::is_set(&free, SeqCst) {
                return;
            }
            if repaired {
                let mut running = runs.lock();
                while !*running {
                    running = runs.wait(running);
                }
                drop(running);
                if Shuttle::is_set(&free, SeqCst) {
                    return;
                }
            }
            let mut heard = told.lock();
            while !*heard {
                heard = told.wait(heard);
            }
        });
        stage.rest_or(|_| "the lock is free, and the waiter sleeps".into());
    })
}
