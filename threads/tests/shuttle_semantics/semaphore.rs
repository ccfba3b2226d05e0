//! §5.3: leases.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use overtake_threads::InterProcessSemaphoreV2;
use overtake_threads::check::{Engine, Program, program};
use overtake_threads::sync::{Shuttle, Threads};

use crate::shuttle_common::*;

const SEMAPHORE: &str = "/curator";

#[test]
fn there_are_never_more_leases_than_allowed() {
    let two = ["two leases out"];
    sampled(Engine::Pct { depth: 3, seed: 1 }, &leases(1, &["first", "second"]), 1_000);
    sampled(Engine::Pct { depth: 3, seed: 1 }, &leases(2, &["first", "second", "third"]).sometimes(&two), 1_000);
}

/// The next one in the queue gets the lease when it is given back, in every order of events.
#[test]
fn a_lease_goes_to_the_next_one() {
    let next = program("the next lease", |stage| {
        let (hub, clients) = clients(stage, 2);
        let lease = InterProcessSemaphoreV2::new(&clients[0], SEMAPHORE, 1).acquire().unwrap();
        let (client, own) = (clients[1].clone(), *stage);
        let out = Arc::new(Shuttle::flag("lease out", true));
        let closed = out.clone();
        stage.thread("next", move || {
            let lease = InterProcessSemaphoreV2::new(&client, SEMAPHORE, 1).acquire().unwrap();
            own.holds(!Shuttle::is_set(&out, SeqCst), "no more leases than allowed", || "the first is out".into());
            lease.close().unwrap();
            own.reached("the next one had it");
        });
        stage.thread("first", move || {
            Shuttle::set(&closed, false, SeqCst);
            lease.close().unwrap();
        });
        stage.rest_or(|_| hub.who_waits());
        let left = hub.with("counts leases", |zk| zk.children("/curator/leases").len());
        stage.holds(left == 0, "no orphan node", || format!("{left} leases are left"));
    });
    proved(Engine::Systematic, &next.sometimes(&["the next one had it"]));
}

/// So many leases for these threads.
fn leases(most: usize, threads: &[&'static str]) -> Program {
    let threads = threads.to_vec();
    program("leases", move |stage| {
        let (hub, clients) = clients(stage, threads.len());
        let inside = Arc::new(Shuttle::word("leases out", 0));
        for (place, name) in threads.iter().enumerate() {
            let (client, inside, own) = (clients[place].clone(), inside.clone(), *stage);
            stage.thread(name, move || {
                let lease = InterProcessSemaphoreV2::new(&client, SEMAPHORE, most).acquire().unwrap();
                let before = Shuttle::fetch_add(&inside, 1, SeqCst);
                own.holds(before < most, "no more leases than allowed", || format!("{before} were out"));
                if before == 1 {
                    own.reached("two leases out");
                }
                Shuttle::fetch_sub(&inside, 1, SeqCst);
                lease.close().unwrap();
            });
        }
        stage.rest_or(|_| hub.who_waits());
        let left = hub.with("counts leases", |zk| zk.children("/curator/leases").len());
        stage.holds(left == 0, "no orphan node", || format!("{left} leases are left"));
    })
}

/// A lease belongs to no thread; a second close does nothing.
#[test]
fn a_lease_is_closed_by_any_thread() {
    let any = program("a lease closed by another thread", |stage| {
        let (hub, clients) = clients(stage, 1);
        let semaphore = InterProcessSemaphoreV2::new(&clients[0], SEMAPHORE, 1);
        let lease = semaphore.acquire().unwrap();
        stage.thread("other", move || {
            lease.close().unwrap();
            lease.close().unwrap();
            assert_eq!(lease.node(), None);
        });
        stage.rest();
        assert_eq!(hub.with("counts leases", |zk| zk.children("/curator/leases").len()), 0);
        semaphore.acquire().unwrap().close().unwrap();
    });
    proved(Engine::Systematic, &any);
}

/// Holding those that it has; all are returned when the time is up.
#[test]
fn several_leases_are_all_or_nothing() {
    let several = program("two leases of one", |stage| {
        let (hub, clients) = clients(stage, 1);
        let client = clients[0].clone();
        stage.thread("main", move || {
            let semaphore = InterProcessSemaphoreV2::new(&client, SEMAPHORE, 1);
            let leases = semaphore.acquire_many(2, Some(Duration::from_secs(1))).unwrap();
            assert!(leases.is_none());
        });
        stage.rest();
        let left = |path| hub.with("counts", |zk| zk.children(path).len());
        assert_eq!((left("/curator/leases"), left("/curator/locks")), (0, 0));
    });
    proved(Engine::Systematic, &several);
}

/// Whoever made it, a child of the folder counts.
#[test]
fn children_of_others_count() {
    use overtake_recipes::CreateMode;
    use overtake_threads::programs::common::{create, delete};
    let counted = program("a foreign child", |stage| {
        let (_, clients) = clients(stage, 2);
        let one = Arc::new(InterProcessSemaphoreV2::new(&clients[0], SEMAPHORE, 1));
        one.acquire().unwrap().close().unwrap();
        let stranger = "/curator/leases/stranger";
        create(&clients[1], stranger, "", CreateMode::Persistent).unwrap();
        let (tries, own) = (one.clone(), *stage);
        stage.thread("main", move || {
            assert!(tries.acquire_timeout(Duration::from_secs(1)).unwrap().is_none(), "the stranger counts");
            own.reached("no lease");
        });
        stage.rest();
        delete(&clients[1], stranger, None).unwrap();
        one.acquire().unwrap().close().unwrap();
    });
    proved(Engine::Systematic, &counted.sometimes(&["no lease"]));
}

/// How many leases there may be is each object's own belief.
#[test]
fn each_object_believes_its_own_maximum() {
    let beliefs = program("two beliefs", |stage| {
        let (_, clients) = clients(stage, 1);
        let (client, own) = (clients[0].clone(), *stage);
        stage.thread("main", move || {
            let one = InterProcessSemaphoreV2::new(&client, SEMAPHORE, 1);
            let two = InterProcessSemaphoreV2::new(&client, SEMAPHORE, 2);
            let first = one.acquire().unwrap();
            let second = two.acquire().unwrap();
            assert!(one.acquire_timeout(Duration::from_secs(1)).unwrap().is_none(), "one is enough for the one");
            first.close().unwrap();
            second.close().unwrap();
            own.reached("the end");
        });
        stage.rest();
    });
    proved(Engine::Systematic, &beliefs.sometimes(&["the end"]));
}

/// A lost session gives the lease back without asking, and closing it afterwards is no error.
#[test]
fn a_lost_session_gives_the_lease_back() {
    let lost = program("a lease of a lost session", |stage| {
        let (hub, clients) = clients(stage, 2);
        let lease = InterProcessSemaphoreV2::new(&clients[0], SEMAPHORE, 1).acquire().unwrap();
        let (client, own) = (clients[1].clone(), *stage);
        stage.thread("other", move || {
            InterProcessSemaphoreV2::new(&client, SEMAPHORE, 1).acquire().unwrap().close().unwrap();
            own.reached("the other one had it");
        });
        stage.settle();
        hub.expire(0);
        stage.rest_or(|_| hub.who_waits());
        hub.reconnect(0);
        clients[0].connect().unwrap();
        assert_eq!(lease.close(), Ok(()), "the node is gone, which is only logged");
    });
    proved(Engine::Systematic, &lost.sometimes(&["the other one had it"]));
}

/// Interrupted while it waits: its lease and its place in the queue of the mutex go in the background.
#[test]
fn an_interrupted_wait_for_a_lease_leaves_nothing() {
    use overtake_threads::{Error, Interrupt};
    let interrupted = program("a wait for a lease is interrupted", |stage| {
        let (hub, clients) = clients(stage, 2);
        let lease = InterProcessSemaphoreV2::new(&clients[0], SEMAPHORE, 1).acquire().unwrap();
        let interrupt = Arc::new(Interrupt::<Shuttle>::new());
        let (client, own, signal) = (clients[1].clone(), *stage, interrupt.clone());
        stage.thread("waiter", move || {
            let ended = InterProcessSemaphoreV2::new(&client, SEMAPHORE, 1).acquire_or(&signal);
            assert_eq!(ended.err(), Some(Error::Interrupted));
            own.reached("interrupted");
        });
        stage.settle();
        stage.thread("interrupter", move || interrupt.interrupt());
        stage.rest();
        let left = |path| hub.with("counts", |zk| zk.children(path).len());
        assert_eq!((left("/curator/leases"), left("/curator/locks")), (1, 0), "the holder's lease");
        lease.close().unwrap();
    });
    proved(Engine::Systematic, &interrupted.sometimes(&["interrupted"]));
}

/// Two threads of one client: forgetting the watches of one, which is for the whole client, takes none from the other, since one
/// at a time watches the leases.
#[test]
fn two_threads_of_one_client_take_turns() {
    let turns = program("two threads of one client", |stage| {
        let (hub, clients) = clients(stage, 1);
        for name in ["first", "second"] {
            let (client, own) = (clients[0].clone(), *stage);
            stage.thread(name, move || {
                InterProcessSemaphoreV2::new(&client, SEMAPHORE, 1).acquire().unwrap().close().unwrap();
                own.reached("had it");
            });
        }
        stage.rest_or(|_| hub.who_waits());
        let left = |path| hub.with("counts", |zk| zk.children(path).len());
        assert_eq!((left("/curator/leases"), left("/curator/locks")), (0, 0));
    });
    // Too many orders to try them all.
    sampled(Engine::Pct { depth: 3, seed: 1 }, &turns.clone().sometimes(&["had it"]), 1_000);
    sampled(Engine::Random { seed: 1 }, &turns.sometimes(&["had it"]), 1_000);
}
