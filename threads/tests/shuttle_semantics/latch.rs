//! §5.5: the leader latch.

use std::sync::Arc;
use std::time::Duration;

use overtake_threads::check::{Engine, program};
use overtake_threads::latch::LatchState;
use overtake_threads::{Error, LeaderLatch};

use crate::shuttle_common::*;

#[test]
fn a_latch_is_started_once_and_closed_once() {
    let life = program("the life of a latch", |stage| {
        let (hub, clients) = clients(stage, 1);
        let latch = LeaderLatch::new(&clients[0], LOCK);
        assert_eq!(latch.state(), LatchState::Latent);
        assert_eq!(latch.close(), Err(Error::State("Already closed or has not been started")));
        latch.start().unwrap();
        assert_eq!(latch.start(), Err(Error::State("Cannot be started more than once")));
        latch.await_leadership().unwrap();
        assert!(latch.has_leadership());
        let node = latch.last_path_as_leader().unwrap();
        assert!(node.starts_with("/curator/lock/"), "{node}");
        latch.close().unwrap();
        assert!(!latch.has_leadership());
        assert_eq!(latch.await_leadership(), Err(Error::State("the latch is closed")));
        assert_eq!(latch.close(), Err(Error::State("Already closed or has not been started")));
        stage.rest();
        nothing_left(stage, &hub);
    });
    proved(Engine::Systematic, &life);
}

#[test]
fn the_next_candidate_leads_when_the_leader_closes() {
    let two = program("two latches", |stage| {
        let (hub, clients) = clients(stage, 2);
        let first = LeaderLatch::new(&clients[0], LOCK);
        first.start().unwrap();
        first.await_leadership().unwrap();
        let second = Arc::new(LeaderLatch::new(&clients[1], LOCK));
        second.start().unwrap();
        stage.settle();
        assert!(!second.has_leadership());
        let (waits, own) = (second.clone(), *stage);
        stage.thread("waits", move || {
            waits.await_leadership().unwrap();
            own.reached("the second leads");
        });
        first.close().unwrap();
        stage.rest_or(|_| "the second never leads".into());
        second.close().unwrap();
        stage.rest();
        nothing_left(stage, &hub);
    });
    proved(Engine::Systematic, &two.sometimes(&["the second leads"]));
}

#[test]
fn leadership_is_given_up_on_suspension_and_decided_anew() {
    let suspended = program("a suspended leader", |stage| {
        let (hub, clients) = clients(stage, 1);
        let latch = Arc::new(LeaderLatch::new(&clients[0], LOCK));
        let told = Arc::new(std::sync::Mutex::new(Vec::new()));
        let tells = told.clone();
        latch.listen(move |leads| tells.lock().unwrap().push(leads));
        latch.start().unwrap();
        stage.settle();
        hub.disconnect(0);
        // Retries come to an end while the connection is broken: the search lets so many timers run only.
        stage.settle();
        assert!(!latch.has_leadership());
        hub.reconnect(0);
        stage.rest();
        assert!(latch.has_leadership(), "{}", hub.who_waits());
        assert_eq!(*told.lock().unwrap(), [true, false, true]);
        assert_eq!(nodes(&hub).len(), 1);
        hub.expire(0);
        hub.reconnect(0);
        stage.settle();
        assert!(latch.has_leadership(), "a candidate in the new session too");
        assert!(latch.await_leadership_timeout(Duration::from_secs(1)));
    });
    proved(Engine::Systematic, &suspended);
}

/// The own node is first, and of a session that the client has given up: no leadership by it, but a new node (CURATOR-696).
#[test]
fn a_node_of_the_old_session_is_no_leadership() {
    let old = program("a latch with a node of its old session", |stage| {
        let (hub, clients) = clients(stage, 1);
        let latch = Arc::new(LeaderLatch::new(&clients[0], LOCK));
        latch.start().unwrap();
        stage.settle();
        let first = latch.last_path_as_leader().unwrap();
        hub.give_up_session(0);
        stage.settle();
        let held = nodes(&hub);
        assert_eq!(held.len(), 2, "the old node is there, and a new one behind it: {held:?}");
        assert!(!latch.has_leadership(), "the old node is not the new session's");
        hub.expire_former(0);
        stage.settle();
        assert!(latch.has_leadership());
        assert_ne!(latch.last_path_as_leader().unwrap(), first);
    });
    proved(Engine::Systematic, &old);
}

/// An attempt to open the next session whose answer is lost does not end the candidacy.
#[test]
fn a_failed_connect_is_tried_again() {
    let again = program("a latch whose connect fails", |stage| {
        let (hub, clients) = clients(stage, 1);
        let latch = LeaderLatch::new(&clients[0], LOCK);
        latch.start().unwrap();
        stage.settle();
        hub.expire(0);
        hub.lose_next_reply(0);
        hub.reconnect(0);
        stage.settle();
        assert!(!latch.has_leadership(), "the connection is broken again");
        hub.reconnect(0);
        stage.rest();
        assert!(latch.has_leadership(), "{}", hub.who_waits());
    });
    proved(Engine::Systematic, &again);
}
