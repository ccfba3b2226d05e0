//! §5.1, §5.7 and §5.8: what broken connections and lost sessions do to who holds and who waits.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use overtake_recipes::ZkError;
use overtake_recipes::client::ConnectionState;
use overtake_threads::check::{Engine, Verdict, program};
use overtake_threads::sync::{Role, Shuttle, Threads};
use overtake_threads::{Error, InterProcessLock};

use crate::shuttle_common::*;

/// `release()` throws, and the node goes all the same: whoever takes the error for "still held" is wrong (§5.7, 5).
#[test]
fn a_release_that_fails_on_a_lost_connection_is_carried_out_later() {
    let failed = program("release on a lost connection", |stage| {
        let (hub, clients) = clients(stage, 1);
        let (client, own, breaks) = (clients[0].clone(), *stage, hub.clone());
        let broken = Arc::new((Shuttle::mutex("broken", false), Shuttle::condvar("broken")));
        let (tells, waits, faulty) = (broken.clone(), broken, hub.clone());
        drop(Shuttle::spawn(Role::Daemon, "connection".into(), move || {
            let mut broken = Shuttle::lock(&waits.0);
            while !*broken {
                broken = Shuttle::wait(&waits.1, broken);
            }
            drop(broken);
            faulty.reconnect(0);
        }));
        stage.thread("main", move || {
            let mutex = ImpatientMutex::over(&client, LOCK);
            mutex.acquire().unwrap();
            // The release is one request: here is where a break of the connection makes a difference.
            if Shuttle::choose(2) == 1 {
                breaks.disconnect(0);
                *Shuttle::lock(&tells.0) = true;
                Shuttle::notify_all(&tells.1);
            }
            match mutex.release() {
                Ok(()) => own.reached("released"),
                Err(error) => {
                    assert_eq!(error, Error::Zk(ZkError::ConnectionLoss));
                    own.reached("failed");
                }
            }
            assert!(!mutex.is_owned_by_current_thread(), "the entry is removed in any case");
        });
        stage.rest();
        nothing_left(stage, &hub);
    });
    // The retries in the background have too many orders to try them all.
    sampled(Engine::Pct { depth: 3, seed: 1 }, &failed.sometimes(&["released", "failed"]), 2_000);
}

/// Nothing changes in the mutex; re-entry succeeds without a lock, release is silent (§5.7, 1).
#[test]
fn a_lost_session_changes_nothing_in_the_mutex_as_shipped() {
    let lost = program("session lost while holding", |stage| {
        let (hub, clients) = clients(stage, 1);
        let mutex = Mutex::new(&clients[0], LOCK);
        mutex.acquire().unwrap();
        hub.expire(0);
        hub.reconnect(0);
        stage.rest();
        assert_eq!(clients[0].session(), 0, "the client knows");
        assert!(mutex.is_acquired_in_this_process() && mutex.is_owned_by_current_thread());
        assert_eq!(mutex.acquire(), Ok(()), "re-entry succeeds");
        assert_eq!(nodes(&hub).len(), 0, "though there is no node");
        assert_eq!((mutex.release(), mutex.release()), (Ok(()), Ok(())), "releases are silent");
    });
    proved(Engine::Systematic, &lost);
}

#[test]
fn a_checked_mutex_reenters_only_in_its_session() {
    let lost = program("session lost while holding, checked", |stage| {
        let (hub, clients) = clients(stage, 1);
        let mutex = CheckedMutex::over(&clients[0], LOCK);
        mutex.acquire().unwrap();
        hub.expire(0);
        hub.reconnect(0);
        stage.rest();
        assert_eq!(mutex.acquire(), Ok(()));
        assert_eq!(nodes(&hub).len(), 1, "a new node, in a new session");
        assert_eq!((mutex.release(), nodes(&hub).len()), (Ok(()), 0));
    });
    proved(Engine::Systematic, &lost);
}

/// The watch wakes on the expiry; the list does not show the own node; again, with a new node at the end of the queue
/// (§5.7, 4).
#[test]
fn who_loses_the_session_while_waiting_waits_at_the_end_of_the_queue() {
    let lost = program("session lost while waiting", |stage| {
        let (hub, clients) = clients(stage, 3);
        let holder = Mutex::new(&clients[0], LOCK);
        holder.acquire().unwrap();
        let order = Arc::new(Shuttle::mutex("order", Vec::new()));
        let wait = |client: &TestClient, name: &'static str| {
            let (client, order) = (client.clone(), order.clone());
            stage.thread(name, move || {
                let mutex = Mutex::new(&client, LOCK);
                mutex.acquire().unwrap();
                Shuttle::lock(&order).push(name);
                mutex.release().unwrap();
            });
        };
        wait(&clients[1], "second");
        stage.settle();
        wait(&clients[2], "third");
        stage.settle();
        hub.expire(1);
        hub.reconnect(1);
        stage.settle();
        assert_eq!(nodes(&hub).len(), 3);
        holder.release().unwrap();
        stage.rest_or(|_| hub.who_waits());
        assert_eq!(*Shuttle::lock(&order), ["third", "second"]);
        nothing_left(stage, &hub);
    });
    proved(Engine::Systematic, &lost);
}

/// No owner check at the head of the queue (§5.7, 2): the client gives its session up by its own clock, the node of the
/// old session is still there and is first, and is taken for one's own. Then it goes.
fn old_node(checked: bool) -> overtake_threads::check::Program {
    let name = if checked { "a node of the old session, checked" } else { "a node of the old session" };
    program(name, move |stage| {
        let (hub, clients) = clients(stage, 3);
        let holder = Mutex::new(&clients[0], LOCK);
        holder.acquire().unwrap();
        let inside = Arc::new(Shuttle::word("section", 0));
        let (client, inside2, own) = (clients[1].clone(), inside.clone(), *stage);
        let section = move |lock: &dyn InterProcessLock<Shuttle>, inside: &<Shuttle as Threads>::Word| {
            lock.acquire().unwrap();
            own.holds(Shuttle::fetch_add(inside, 1, SeqCst) == 0, "at most one live holder", || {
                "two are inside".into()
            });
            Shuttle::fetch_sub(inside, 1, SeqCst);
            lock.release().unwrap();
        };
        stage.thread("waiter", move || match checked {
            true => section(&CheckedMutex::over(&client, LOCK), &inside2),
            false => section(&Mutex::new(&client, LOCK), &inside2),
        });
        stage.settle();
        hub.give_up_session(1);
        stage.settle();
        let faulty = hub.clone();
        stage.fault("the old session expires", move || faulty.expire_former(1));
        holder.release().unwrap();
        let client = clients[2].clone();
        stage.thread("third", move || section(&Mutex::new(&client, LOCK), &inside));
        stage.rest_or(|_| hub.who_waits());
        stage.reached("all had it");
    })
    .sometimes(&["all had it"])
}

#[test]
fn a_node_of_the_old_session_is_taken_for_a_grant_unless_the_owner_is_checked() {
    let outcome = find(Engine::Systematic, &old_node(false), 200_000);
    let Verdict::Falsified(trace) = &outcome.verdict else { panic!("{outcome}") };
    assert_eq!(trace.violates, "at most one live holder");
    // Three clients and a session that ends have too many orders to try them all.
    sampled(Engine::Pct { depth: 3, seed: 1 }, &old_node(true), 2_000);
    sampled(Engine::Random { seed: 1 }, &old_node(true), 2_000);
}

/// Listeners are told late, on a thread of their own: one that never comes back holds up nobody but listeners.
#[test]
fn a_listener_that_blocks_does_not_hold_up_the_event_thread() {
    let blocked = program("a blocked listener", |stage| {
        let (hub, clients) = clients(stage, 2);
        let never = Arc::new((Shuttle::mutex("never", ()), Shuttle::condvar("never")));
        let (wait, own) = (never.clone(), *stage);
        let told = Arc::new(Shuttle::word("told", 0));
        let tells = told.clone();
        clients[1].listen(move |state| {
            if state != ConnectionState::Suspended {
                return;
            }
            Shuttle::store(&tells, 1, SeqCst);
            own.reached("told");
            drop(Shuttle::wait(&wait.1, Shuttle::lock(&wait.0)));
        });
        stage.settle();
        let holder = Mutex::new(&clients[0], LOCK);
        holder.acquire().unwrap();
        let client = clients[1].clone();
        stage.thread("waiter", move || ImpatientMutex::over(&client, LOCK).acquire().unwrap());
        stage.settle();
        hub.disconnect(1);
        hub.reconnect(1);
        holder.release().unwrap();
        let waiting = stage.rest();
        assert!(waiting.is_empty(), "{waiting:?}: {}", hub.who_waits());
        Shuttle::notify_all(&never.1);
    });
    proved(Engine::Systematic, &blocked.sometimes(&["told"]));
}

/// What listeners are told, in order: SUSPENDED and RECONNECTED; LOST when the session is over, by the server or by the client's
/// own clock; RECONNECTED in the next session (§5.8).
#[test]
fn listeners_are_told_each_change_in_order() {
    let told = program("listeners", |stage| {
        let (hub, clients) = clients(stage, 1);
        let told = Arc::new(std::sync::Mutex::new(Vec::new()));
        let tells = told.clone();
        clients[0].listen(move |state| tells.lock().unwrap().push(state));
        stage.settle();
        let expect = |wanted: &[ConnectionState]| {
            stage.settle();
            assert_eq!(std::mem::take(&mut *told.lock().unwrap()), wanted);
        };
        expect(&[]);
        hub.disconnect(0);
        hub.reconnect(0);
        expect(&[ConnectionState::Suspended, ConnectionState::Reconnected]);
        hub.expire(0);
        hub.reconnect(0);
        expect(&[ConnectionState::Suspended, ConnectionState::Lost]);
        clients[0].connect().unwrap();
        expect(&[ConnectionState::Reconnected]);
        hub.give_up_session(0);
        expect(&[ConnectionState::Lost]);
    });
    proved(Engine::Systematic, &told);
}
