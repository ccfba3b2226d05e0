//! Threads that share a lock of ZooKeeper's: nightly work that one of them is to do, and once.
//!
//! What threads share goes through the door (`Shuttle::word`, `Shuttle::mutex`, `Monitor`): what does not is neither scheduled
//! nor told.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use overtake::threads::check::{Program, Stage, program};
use overtake::threads::programs::common::{LOCK, clients};
use overtake::threads::sync::{Shuttle, Threads};
use overtake::threads::{InterProcessLock, InterProcessMutex};

/// Looks whether the work is done, and takes the lock for it. Between the two the other thread may have done it.
pub fn looks_once() -> Program {
    program("looks once", |stage| nightly_work(stage, false))
        .about("Two threads look whether the work is done, and take the lock to do it.")
        .breaks("the work is done once")
        .fixed_by("looks again under the lock")
}

/// Looks again when it has the lock.
pub fn looks_again() -> Program {
    program("looks again under the lock", |stage| nightly_work(stage, true))
        .about("The same, and they look again when they have the lock.")
        .sometimes(&["somebody came too late"])
}

fn nightly_work(stage: &Stage, looks_again: bool) {
    let (hub, clients) = clients(stage, 2);
    let runs = Arc::new(Shuttle::word("number of runs", 0));
    for client in clients {
        let (runs, own) = (runs.clone(), *stage);
        stage.thread("worker", move || {
            let mutex = InterProcessMutex::new(&client, LOCK);
            if Shuttle::load(&runs, SeqCst) > 0 {
                return;
            }
            mutex.acquire().expect("granted");
            if looks_again && Shuttle::load(&runs, SeqCst) > 0 {
                own.reached("somebody came too late");
            } else {
                let before = Shuttle::fetch_add(&runs, 1, SeqCst);
                own.holds(before == 0, "the work is done once", || "both workers have done it".into());
            }
            mutex.release().expect("held");
        });
    }
    stage.rest_or(|_| hub.who_waits());
}
