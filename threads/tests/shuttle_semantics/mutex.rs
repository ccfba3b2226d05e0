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

/// A timed wait ends without a word when the client is closed: `false`, like a time that is up.
#[test]
fn a_timed_wait_on_a_client_that_is_closed_answers_false() {
    let closed = program("closed during a timed wait", |stage| {
        let (hub, clients) = clients(stage, 2);
        let holder = Mutex::new(&clients[0], LOCK);
        holder.acquire().unwrap();
        let (client, own) = (clients[1].clone(), *stage);
        stage.thread("waiter", move || {
            let mutex = ImpatientMutex::over(&client, LOCK);
            assert_eq!(mutex.acquire_timeout(SOON), Ok(false));
            assert!(!mutex.is_owned_by_current_thread());
            own.reached("told");
        });
        let client = clients[1].clone();
        stage.thread("closer", move || client.close());
        stage.rest();
        assert_eq!(nodes(&hub).len(), 1, "the session took its node along");
    });
    sampled(Engine::Pct { depth: 3, seed: 1 }, &closed.sometimes(&["told"]), 1_000);
}

/// The own node is gone while it waits: a new one, at the end of the queue, if the retry policy allows it; else the error (§5.1,
/// 6).
#[test]
fn a_waiter_whose_node_is_gone_begins_anew_if_the_policy_allows() {
    for allowed in [true, false] {
        let gone = program("the waiter's node is gone", move |stage| {
            let (hub, clients) = clients(stage, 2);
            let holder = Mutex::new(&clients[0], LOCK);
            holder.acquire().unwrap();
            let (client, own) = (clients[1].clone(), *stage);
            stage.thread("waiter", move || {
                let refused = match allowed {
                    true => Mutex::new(&client, LOCK).acquire(),
                    false => ImpatientMutex::over(&client, LOCK).acquire(),
                };
                let expected = if allowed { Ok(()) } else { Err(Error::Zk(overtake_recipes::ZkError::NoNode)) };
                assert_eq!(refused, expected);
                own.reached("the end of the wait");
            });
            stage.settle();
            let own = nodes(&hub).pop().unwrap();
            hub.delete(&format!("{LOCK}/{own}"));
            holder.release().unwrap();
            stage.rest_or(|_| hub.who_waits());
            assert_eq!(nodes(&hub).len(), usize::from(allowed));
        });
        proved(Engine::Systematic, &gone.sometimes(&["the end of the wait"]));
    }
}

/// `acquire(0, …)` watches the node before its own; that watch stays at the server until the node goes (§5.1).
#[test]
fn the_watch_of_a_single_try_stays() {
    let stays = program("the watch of a single try", |stage| {
        let (hub, clients) = clients(stage, 2);
        let holder = Mutex::new(&clients[0], LOCK);
        holder.acquire().unwrap();
        assert_eq!(Mutex::new(&clients[1], LOCK).acquire_timeout(Duration::ZERO), Ok(false));
        let watches = || hub.with("counts watches", |zk| zk.server().watches().count());
        assert_eq!(watches(), 1, "on the holder's node");
        holder.release().unwrap();
        stage.rest();
        assert_eq!(watches(), 0, "it went with the node");
        stage.reached("the end");
    });
    proved(Engine::Systematic, &stays.sometimes(&["the end"]));
}

/// §5.7, 3: the reply to the create is lost. The search finds the node, with a sync before it and without (one server has
/// nothing to catch up with): one node, and the lock.
#[test]
fn a_create_whose_reply_is_lost_is_found_again() {
    for synced in [false, true] {
        let found = program("the reply to the create is lost", move |stage| {
            let (hub, clients) = clients(stage, 1);
            let (client, faulty, own) = (clients[0].clone(), hub.clone(), *stage);
            hub.lose_next_reply(0);
            stage.thread("worker", move || {
                let granted = match synced {
                    true => CheckedMutex::over(&client, LOCK).acquire(),
                    false => Mutex::new(&client, LOCK).acquire(),
                };
                // Four tries come to nothing while the connection is broken.
                own.reached(if granted.is_ok() { "granted" } else { "refused" });
                let left = nodes(&faulty).len();
                assert!(left == 1 || granted.is_err() && left <= 1, "{left} nodes");
            });
            hub.reconnect(0);
            let faulty = hub.clone();
            stage.thread("connection", move || {
                faulty.disconnect(0);
                faulty.reconnect(0);
            });
            stage.rest_or(|_| hub.who_waits());
        });
        // The retries have too many orders to try them all.
        sampled(Engine::Pct { depth: 3, seed: 1 }, &found.sometimes(&["granted"]), 500);
    }
}

/// The listener is called once for each grant: after a second `make_revocable` for the second one, not for bytes that are no
/// revocation, not after the release, and after a broken connection too.
#[test]
fn a_revocation_is_told_once_for_each_grant() {
    use overtake_threads::programs::common::set;
    let told = program("revocations", |stage| {
        let (hub, clients) = clients(stage, 2);
        let mutex = Mutex::new(&clients[0], LOCK);
        let count = Arc::new(Shuttle::word("asked", 0));
        let times = || Shuttle::load(&count, std::sync::atomic::Ordering::SeqCst);
        let revocable = || {
            let counts = count.clone();
            mutex
                .make_revocable(move || {
                    Shuttle::fetch_add(&counts, 1, std::sync::atomic::Ordering::SeqCst);
                })
                .unwrap();
        };
        mutex.acquire().unwrap();
        revocable();
        stage.settle();
        let first = mutex.node().unwrap();
        for other in ["", "something else"] {
            set(&clients[1], &first, other, None).unwrap();
            stage.settle();
            assert_eq!(times(), 0, "{other:?} is no revocation");
        }
        // While nobody hears of it: it is told when the connection is back.
        hub.disconnect(0);
        attempt_revoke(&clients[1], &first).unwrap();
        stage.settle();
        assert_eq!(times(), 0);
        hub.reconnect(0);
        stage.settle();
        assert_eq!(times(), 1);
        mutex.release().unwrap();
        // Late: the node is gone, and nobody is called.
        attempt_revoke(&clients[1], &first).unwrap();
        stage.settle();
        assert_eq!(times(), 1);
        mutex.acquire().unwrap();
        revocable();
        stage.settle();
        attempt_revoke(&clients[1], &mutex.node().unwrap()).unwrap();
        stage.settle();
        assert_eq!(times(), 2, "the next grant is asked for too");
        stage.reached("the end");
    });
    proved(Engine::Systematic, &told.sometimes(&["the end"]));
}
