//! Public claims that are no bugs: a checker that finds something in these programs is wrong.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use overtake_recipes::lock::faulty::PredecessorGoneIgnored;
use overtake_recipes::{CreateMode, Environment, Lock, ZkError, ZooKeeper};

use super::common::*;
use crate::check::{Program, program};
use crate::mutex::{InterProcessLock, InterProcessMutex};
use crate::sync::{Role, Shuttle, Threads};

/// All of them, and the twins without the monitor, which show that there would be something to be found.
pub fn all() -> Vec<Program> {
    vec![
        monitor("CURATOR-527 predecessor deleted between getData and wait", true),
        mutex("CURATOR-641 the mutex itself", true),
        spurious("CURATOR-283 spurious wake-ups in the mutex's loop", true),
    ]
}

/// What goes wrong where a look at the monitor's rules is left out: canaries.
pub fn twins() -> Vec<Program> {
    vec![
        monitor("CURATOR-527 without the monitor", false)
            .breaks(crate::check::NO_HANG)
            .fixed_by("CURATOR-527 predecessor deleted between getData and wait"),
        mutex("CURATOR-641 with a node waited for that is gone", false)
            .breaks(crate::check::NO_HANG)
            .fixed_by("CURATOR-641 the mutex itself"),
        spurious("CURATOR-283 with a wake-up taken for a turn", false)
            .breaks("at most one live holder")
            .fixed_by("CURATOR-283 spurious wake-ups in the mutex's loop"),
    ]
}

/// CURATOR-527 and CURATOR-641: "the predecessor is deleted between getData and wait, and the wake-up is lost". It is
/// not: the waiter holds the monitor from its look until it sleeps, and the watcher needs the monitor to notify.
fn monitor(name: &str, under_the_monitor: bool) -> Program {
    let built = program(name, move |stage| {
        let (_, clients) = clients(stage, 2);
        let first = create(&clients[0], "/lock/lock-", "", CreateMode::EphemeralSequential).expect("the holder's");
        let monitor = Monitor::new("mutex", ());
        let holder = clients[0].clone();
        let held = first.clone();
        stage.thread("holder", move || delete(&holder, &held, None).expect("it leaves"));
        let (waiter, own) = (clients[1].clone(), *stage);
        stage.thread("waiter", move || {
            let mut inside = monitor.lock();
            loop {
                let path = &first;
                let looked = waiter.run(|env| async move { env.zookeeper().watch_data(path).await });
                let Ok((_, _, watch)) = looked else {
                    assert_eq!(looked.err(), Some(ZkError::NoNode));
                    break;
                };
                let (client, told) = (waiter.clone(), monitor.clone());
                drop(Shuttle::spawn(Role::Daemon, "watcher".into(), move || {
                    next(&client, watch);
                    // `postSafeNotify`: the notification needs the monitor.
                    let inside = told.lock();
                    told.notify();
                    drop(inside);
                }));
                if !under_the_monitor {
                    drop(inside);
                    inside = monitor.lock();
                }
                inside = monitor.wait(inside);
                own.reached("slept and was woken");
            }
        });
        stage.rest_or(|_| "the predecessor is gone, and the waiter sleeps".into());
    });
    let told = built
        .source("https://github.com/apache/curator/issues/1046, https://github.com/apache/curator/issues/1157")
        .about("The node before the own one goes between the look that sets the watch and the sleep.");
    if under_the_monitor { told.sometimes(&["slept and was woken"]) } else { told }
}

/// The same, of the real thing: the mutex over the client with its event thread. The twin takes the predecessor that is gone
/// before it is looked at for one that will go.
fn mutex(name: &str, looks_again: bool) -> Program {
    let built = program(name, move |stage| {
        let (hub, clients) = clients(stage, 2);
        let holder = InterProcessMutex::new(&clients[0], LOCK);
        holder.acquire().expect("nobody else is there");
        let (client, own) = (clients[1].clone(), *stage);
        stage.thread("waiter", move || {
            if !looks_again {
                client
                    .run(|env| async move { PredecessorGoneIgnored::new(env, LOCK).acquire().await })
                    .expect("granted");
                return;
            }
            let mutex = InterProcessMutex::new(&client, LOCK);
            mutex.acquire().expect("granted");
            own.reached("granted");
            mutex.release().expect("given back");
        });
        let (node, releases) = (holder.node().expect("held"), clients[0].clone());
        stage.thread("holder", move || delete(&releases, &node, None).expect("it leaves"));
        stage.rest_or(|_| hub.who_waits());
    })
    .source("https://github.com/apache/curator/issues/1157")
    .about("The holder's node goes while another client acquires, by the mutex itself.");
    if looks_again { built.sometimes(&["granted"]) } else { built }
}

/// CURATOR-283: "a spurious wake-up lets a waiter in". It does not: the loop lists again.
fn spurious(name: &str, lists_again: bool) -> Program {
    program(name, move |stage| {
        let monitor = Monitor::new("mutex", ());
        let held = Arc::new(Shuttle::flag("held mark", true));
        let (waits, free, own) = (monitor.clone(), held.clone(), *stage);
        stage.thread("waiter", move || {
            let mut inside = waits.lock();
            while Shuttle::is_set(&free, SeqCst) {
                inside = waits.wait(inside);
                if !lists_again {
                    break;
                }
            }
            drop(inside);
            let still = Shuttle::is_set(&free, SeqCst);
            own.reached("the waiter is in");
            own.holds(!still, "at most one live holder", || "the waiter is in, and the lock is held".into());
        });
        let noise = monitor.clone();
        stage.fault("spurious wake-up", move || noise.notify());
        stage.thread("holder", move || {
            let inside = monitor.lock();
            Shuttle::set(&held, false, SeqCst);
            drop(inside);
            monitor.notify();
        });
        stage.rest();
    })
    .source("https://github.com/apache/curator/issues/803")
    .about("A waiter sleeps on a monitor while the lock is held; a wake-up may come for no reason.")
    .sometimes(&["the waiter is in"])
}
