//! The four notes of the seed, with its outcomes: what one object may do that another may not, and what a thread may.

use std::sync::Arc;

use overtake_threads::check::{Engine, NO_HANG, Program, Stage, Verdict, program};
use overtake_threads::{Error, InterProcessLock, InterProcessSemaphoreMutex};

use super::shuttle_common::*;

/// "It can be created successfully, and lock acquisition blocks. This is because sequential child node 2 is created and
/// waits for child node 1 to be released."
#[test]
fn two_instances_in_one_thread_block_for_ever() {
    let two = two_instances();
    // In every schedule, as an execution that comes to rest is the first one of each engine.
    for engine in [Engine::Systematic, Engine::Dfs, Engine::Random { seed: 1 }] {
        let outcome = find(engine, &two, 1_000);
        let Verdict::Falsified(trace) = outcome.verdict else { panic!("{outcome}") };
        assert_eq!((outcome.executions, trace.violates.as_str()), (1, NO_HANG));
        assert_eq!(trace.because, "main waits for itself: main waits for /curator/lock/_c_<0>-lock-0, which main made");
    }
}

fn two_instances() -> Program {
    program("two instances in one thread", |stage| {
        let (hub, clients) = clients(stage, 1);
        let client = clients[0].clone();
        let nodes = hub.clone();
        stage.thread("main", move || {
            let mutex = Mutex::new(&client, LOCK);
            mutex.acquire().unwrap();
            let mutex2 = Mutex::new(&client, LOCK);
            mutex2.acquire().unwrap();
        });
        stage.rest_or(|_| {
            let children = nodes.with("counts nodes", |zk| zk.children(LOCK).len());
            assert_eq!(children, 2, "node 2 is created and waits for node 1");
            hub.who_waits()
        });
    })
}

/// Runs the body as the only thread, in every schedule with its client's threads.
#[track_caller]
fn in_one_thread(name: &str, body: impl Fn(&TestHub, &TestClient) + Send + Sync + Clone + 'static) {
    let one = program(name, move |stage| {
        let (hub, clients) = clients(stage, 1);
        let (body, client, hub) = (body.clone(), clients[0].clone(), hub.clone());
        let own = *stage;
        stage.thread("main", move || {
            body(&hub, &client);
            own.reached("the end");
        });
    });
    proved(Engine::Systematic, &one.sometimes(&["the end"]));
}

/// "Throws an exception: this is not the thread holding the lock. (The reason is that the node currently holding the
/// lock is 1 rather than 2.)"
#[test]
fn another_instance_cannot_release() {
    in_one_thread("release by another instance", |hub, client| {
        let mutex = Mutex::new(client, LOCK);
        mutex.acquire().unwrap();
        let mutex2 = Mutex::new(client, LOCK);
        let refused = mutex2.release().unwrap_err();
        assert_eq!(refused, Error::NotOwner { base: LOCK.into() });
        assert_eq!(refused.to_string(), "You do not own the lock: /curator/lock");
        assert!(mutex.is_acquired_in_this_process() && nodes(hub).len() == 1, "the lock is as it was");
        mutex.release().unwrap();
        assert_eq!(nodes(hub).len(), 0);
    });
}

/// "Throws an exception: this is not the thread holding the lock. (The reason is that this thread has no associated
/// lock data.)"
#[test]
fn another_thread_cannot_release() {
    let two = program("release from another thread", |stage: &Stage| {
        let (hub, clients) = clients(stage, 1);
        let mutex = Arc::new(Mutex::new(&clients[0], LOCK));
        mutex.acquire().unwrap();
        let (shared, own) = (mutex.clone(), *stage);
        stage.thread("new thread", move || {
            let refused = shared.release().unwrap_err();
            assert_eq!(refused.to_string(), "You do not own the lock: /curator/lock");
            own.reached("refused");
        });
        stage.rest();
        assert!(mutex.is_owned_by_current_thread() && nodes(&hub).len() == 1, "the lock is as it was");
        mutex.release().unwrap();
        assert_eq!(nodes(&hub).len(), 0);
    });
    proved(Engine::Dfs, &two.clone().sometimes(&["refused"]));
    proved(Engine::Systematic, &two.sometimes(&["refused"]));
}

/// "Can be acquired repeatedly. Release it as many times as it was acquired."
#[test]
fn reentrant_with_as_many_releases() {
    in_one_thread("re-entrance", |hub, client| {
        let mutex = Mutex::new(client, LOCK);
        mutex.acquire().unwrap();
        mutex.acquire().unwrap();
        assert_eq!(nodes(hub).len(), 1, "one node, however often");
        mutex.release().unwrap();
        assert!(mutex.is_owned_by_current_thread() && nodes(hub).len() == 1);
        mutex.release().unwrap();
        assert!(!mutex.is_owned_by_current_thread() && nodes(hub).is_empty());
        assert_eq!(mutex.release(), Err(Error::NotOwner { base: LOCK.into() }));
    });
}

/// The note speaks of `InterProcessSemaphoreMutex`, and its examples are of `InterProcessMutex`. The former is another
/// thing: any thread may release it, and a thread that acquires it twice waits for itself.
#[test]
fn the_semaphore_mutex_is_released_by_any_thread_and_not_reentrant() {
    let released = program("semaphore mutex, release from another thread", |stage| {
        let (_, clients) = clients(stage, 1);
        let mutex = Arc::new(InterProcessSemaphoreMutex::new(&clients[0], "/curator"));
        mutex.acquire().unwrap();
        let shared = mutex.clone();
        stage.thread("new thread", move || shared.release().unwrap());
        stage.rest();
        assert_eq!(mutex.release().unwrap_err().to_string(), "Not acquired");
    });
    proved(Engine::Systematic, &released);
    let twice = program("semaphore mutex, twice in one thread", |stage| {
        let (hub, clients) = clients(stage, 1);
        let client = clients[0].clone();
        stage.thread("main", move || {
            let mutex = InterProcessSemaphoreMutex::new(&client, "/curator");
            mutex.acquire().unwrap();
            mutex.acquire().unwrap();
        });
        stage.rest_or(|_| hub.who_waits());
    });
    let outcome = find(Engine::Systematic, &twice, 1_000);
    let Verdict::Falsified(trace) = outcome.verdict else { panic!("{outcome}") };
    assert_eq!(
        trace.because,
        "main waits for itself: main waits for a change below /curator/leases, where main made /curator/leases/<1>-lease-0"
    );
}
