//! §5.1: acquire, time-outs, interrupts, releases.

use std::sync::Arc;
use std::time::Duration;

use overtake_threads::check::{Engine, program};
use overtake_threads::client::Options;
use overtake_threads::revoke::attempt_revoke;
use overtake_threads::sync::{Shuttle, Threads};
use overtake_threads::{Error, InterProcessLock, Interrupt};

use crate::shuttle_common::*;

const SOON: Duration = Duration::from_secs(1);

#[test]
fn a_timed_acquire_gives_up_and_leaves_nothing() {
    let timed = program("time-out while another holds", |stage| {
        let (hub, clients) = clients(stage, 2);
        let holder = Mutex::new(&clients[0], LOCK);
        holder.acquire().unwrap();
        let (client, own) = (clients[1].clone(), *stage);
        stage.thread("waiter", move || {
            let mutex = Mutex::new(&client, LOCK);
            assert_eq!(mutex.acquire_timeout(SOON), Ok(false));
            assert!(!mutex.is_acquired_in_this_process());
            own.reached("gave up");
        });
        stage.rest();
        assert_eq!(nodes(&hub).len(), 1, "only the holder's node is left");
    });
    proved(Engine::Systematic, &timed.sometimes(&["gave up"]));
}

#[test]
fn a_timed_acquire_is_granted_or_gives_up_when_the_release_comes_in_time_or_not() {
    let timed = program("time-out while another releases", |stage| {
        let (hub, clients) = clients(stage, 2);
        let holds = clients[0].clone();
        stage.thread("holder", move || {
            let holder = ImpatientMutex::over(&holds, LOCK);
            holder.acquire().unwrap();
            holder.release().unwrap();
        });
        let (client, own) = (clients[1].clone(), *stage);
        stage.thread("waiter", move || {
            let mutex = ImpatientMutex::over(&client, LOCK);
            match mutex.acquire_timeout(SOON).unwrap() {
                true => {
                    own.reached("granted");
                    mutex.release().unwrap();
                }
                false => own.reached("gave up"),
            }
        });
        stage.rest_or(|_| hub.who_waits());
        nothing_left(stage, &hub);
    });
    proved(Engine::Systematic, &timed.sometimes(&["granted", "gave up"]));
}

/// `acquire(0, …)`: one try, which still creates and deletes.
#[test]
fn no_time_is_one_try() {
    let tried = program("no time", |stage| {
        let (hub, clients) = clients(stage, 2);
        let holder = Mutex::new(&clients[0], LOCK);
        holder.acquire().unwrap();
        let client = clients[1].clone();
        stage.thread("waiter", move || {
            let mutex = Mutex::new(&client, LOCK);
            assert_eq!(mutex.acquire_timeout(Duration::ZERO), Ok(false));
        });
        stage.rest();
        let counter = hub.with("looks at the counter", |zk| zk.server().counter(overtake_sim::names::Text::new(LOCK)));
        assert_eq!((nodes(&hub).len(), counter), (1, 2), "a second node was made and taken away");
    });
    proved(Engine::Systematic, &tried);
}

/// `Lost connection while trying to acquire lock: B`.
#[test]
fn a_client_that_is_closed_during_the_wait_says_so() {
    let closed = program("closed during the wait", |stage| {
        let (hub, clients) = clients(stage, 2);
        let holder = Mutex::new(&clients[0], LOCK);
        holder.acquire().unwrap();
        let (client, own) = (clients[1].clone(), *stage);
        stage.thread("waiter", move || {
            let error = ImpatientMutex::over(&client, LOCK).acquire().unwrap_err();
            assert_eq!(error.to_string(), "Lost connection while trying to acquire lock: /curator/lock");
            own.reached("told");
        });
        let client = clients[1].clone();
        stage.thread("closer", move || client.close());
        stage.rest();
        assert_eq!(nodes(&hub).len(), 1, "the session took its node along");
    });
    proved(Engine::Systematic, &closed.sometimes(&["told"]));
}

#[test]
fn threads_of_one_process_take_turns_by_one_object() {
    let turns = program("two threads, one object", |stage| {
        let (hub, clients) = clients(stage, 1);
        let mutex = Arc::new(ImpatientMutex::over(&clients[0], LOCK));
        let inside = Arc::new(Shuttle::word("section", 0));
        for name in ["first", "second"] {
            let (mutex, inside, own) = (mutex.clone(), inside.clone(), *stage);
            stage.thread(name, move || {
                mutex.acquire().unwrap();
                let others = Shuttle::fetch_add(&inside, 1, std::sync::atomic::Ordering::SeqCst);
                own.holds(others == 0, "at most one live holder", || format!("{others} is inside already"));
                Shuttle::fetch_sub(&inside, 1, std::sync::atomic::Ordering::SeqCst);
                mutex.release().unwrap();
            });
        }
        stage.rest_or(|_| hub.who_waits());
        nothing_left(stage, &hub);
    });
    proved(Engine::Systematic, &turns);
}

/// The flag stays set, the node disappears a little later.
#[test]
fn an_interrupted_acquire_leaves_no_node() {
    let interrupted = program("interrupted during the wait", |stage| {
        let (hub, clients) = clients(stage, 2);
        let holder = Mutex::new(&clients[0], LOCK);
        holder.acquire().unwrap();
        let interrupt = Arc::new(Interrupt::<Shuttle>::new());
        let (client, own, signal) = (clients[1].clone(), *stage, interrupt.clone());
        stage.thread("waiter", move || {
            let mutex = ImpatientMutex::over(&client, LOCK);
            assert_eq!(mutex.acquire_or(&signal, None), Err(Error::Interrupted));
            assert!(signal.is_set(), "the flag is set again");
            assert_eq!(mutex.release(), Err(Error::NotOwner { base: LOCK.into() }));
            own.reached("interrupted");
        });
        stage.thread("interrupter", move || interrupt.interrupt());
        stage.rest();
        assert_eq!(nodes(&hub).len(), 1, "only the holder's node is left");
    });
    proved(Engine::Systematic, &interrupted.sometimes(&["interrupted"]));
}

/// With the answer to the create still on its way the node is found by its id, and deleted.
#[test]
fn an_interrupt_during_the_create_leaves_no_node() {
    let interrupted = program("interrupted during the create", |stage| {
        let (hub, clients) = clients_with(stage, 1, Options { replies_queue: true });
        let interrupt = Arc::new(Interrupt::<Shuttle>::new());
        let (client, own, signal) = (clients[0].clone(), *stage, interrupt.clone());
        stage.thread("waiter", move || {
            let mutex = ImpatientMutex::over(&client, LOCK);
            match mutex.acquire_or(&signal, None) {
                Ok(granted) => {
                    assert!(granted);
                    own.reached("granted");
                    mutex.release().unwrap();
                }
                Err(Error::Interrupted) => own.reached("interrupted"),
                Err(other) => panic!("{other}"),
            }
        });
        stage.thread("interrupter", move || interrupt.interrupt());
        stage.rest();
        nothing_left(stage, &hub);
    });
    proved(Engine::Systematic, &interrupted.sometimes(&["granted", "interrupted"]));
}

#[test]
fn a_holder_is_asked_to_let_go() {
    let revoked = program("revocation", |stage| {
        let (hub, clients) = clients(stage, 2);
        let mutex = Arc::new(Mutex::new(&clients[0], LOCK));
        mutex.acquire().unwrap();
        let asked = Arc::new((Shuttle::mutex("asked", false), Shuttle::condvar("asked")));
        let told = asked.clone();
        mutex
            .make_revocable(move || {
                *Shuttle::lock(&told.0) = true;
                Shuttle::notify_all(&told.1);
            })
            .unwrap();
        let node = mutex.node().unwrap();
        assert_eq!(mutex.participant_nodes().unwrap(), std::slice::from_ref(&node));
        let other = clients[1].clone();
        stage.thread("other", move || attempt_revoke(&other, &node).unwrap());
        let (own, said) = (*stage, asked.clone());
        stage.thread("holder", move || {
            let mut asked = Shuttle::lock(&said.0);
            while !*asked {
                asked = Shuttle::wait(&said.1, asked);
            }
            own.reached("asked");
        });
        stage.rest_or(|waiting| format!("{} was never asked", waiting.join(", ")));
        mutex.release().unwrap();
        nothing_left(stage, &hub);
    });
    proved(Engine::Systematic, &revoked.sometimes(&["asked"]));
}

/// The example of the README.
#[test]
fn a_thread_that_gives_up_leaves_no_node() {
    use overtake_threads::programs::common::{LOCK, clients};
    program("gives up", |stage| {
        let (hub, clients) = clients(stage, 2);
        for client in clients {
            let own = *stage;
            stage.thread("worker", move || {
                let mutex = overtake_threads::InterProcessMutex::new(&client, LOCK);
                match mutex.acquire_timeout(SOON).unwrap() {
                    true => mutex.release().unwrap(),
                    false => own.reached("gave up"),
                }
            });
        }
        stage.rest_or(|_| hub.who_waits());
        stage.holds(hub.with("looks", |zk| zk.children(LOCK).is_empty()), "no orphan node", || "a node is left".into());
    })
    .sometimes(&["gave up"])
    .prove();
}
