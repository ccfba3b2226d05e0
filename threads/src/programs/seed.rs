//! The four notes on Curator's mutex that the first seed opens with, with its outcomes: what one object may do that
//! another may not, and what a thread may.

use std::sync::Arc;

use super::common::{TestClient, TestHub, clients_at};
use crate::check::{NO_HANG, Program, Stage, program};
use crate::client::Options;
use crate::error::Error;
use crate::mutex::{InterProcessLock, InterProcessMutex};
use crate::semaphore::InterProcessSemaphoreMutex;
use crate::simulated::Simulated;
use crate::sync::Shuttle;

type Mutex = InterProcessMutex<Shuttle, Simulated>;

const SOURCE: &str = "seed 1, section 1.1.1";

/// The path of the notes.
const LOCK: &str = "/curator/lock";

fn clients(stage: &Stage, number: usize) -> (TestHub, Vec<TestClient>) {
    clients_at(stage, number, &["/curator", LOCK], Options::default())
}

fn nodes(hub: &TestHub) -> Vec<String> {
    hub.with("looks at the nodes", |zk| zk.children(LOCK))
}

/// All of them.
pub fn all() -> Vec<Program> {
    vec![
        two_instances(),
        reentrance(),
        another_instance(),
        another_thread(),
        semaphore_from_another_thread(),
        semaphore_twice(),
    ]
}

/// The second acquire makes node 2, which waits for node 1. Both are of one thread, so it waits for ever (slip 27).
pub fn two_instances() -> Program {
    program("two instances in one thread", |stage| {
        let (hub, clients) = clients(stage, 1);
        let client = clients[0].clone();
        stage.thread("main", move || {
            let mutex = Mutex::new(&client, LOCK);
            mutex.acquire().expect("nobody else is there");
            let mutex2 = Mutex::new(&client, LOCK);
            mutex2.acquire().expect("it never comes back");
        });
        stage.rest_or(|_| {
            assert_eq!(nodes(&hub).len(), 2, "node 2 is created and waits for node 1");
            hub.who_waits()
        });
    })
    .about("A thread acquires a lock by one object, and then by a second one on the same path: it waits for itself.")
    .source(SOURCE)
    .breaks(NO_HANG)
    .fixed_by("one instance, acquired twice")
}

/// One object, acquired twice, needs two releases (slip 32: in one thread).
pub fn reentrance() -> Program {
    in_one_thread("one instance, acquired twice", |hub, client| {
        let mutex = Mutex::new(client, LOCK);
        mutex.acquire().expect("the first time");
        mutex.acquire().expect("the second time");
        assert_eq!(nodes(hub).len(), 1, "one node, however often");
        mutex.release().expect("the first of two");
        assert!(mutex.is_owned_by_current_thread() && nodes(hub).len() == 1);
        mutex.release().expect("the second of two");
        assert!(!mutex.is_owned_by_current_thread() && nodes(hub).is_empty());
        assert_eq!(mutex.release(), Err(Error::NotOwner { base: LOCK.into() }), "no more than it was acquired");
    })
    .about("A thread acquires a lock twice by one object, and must release it twice.")
}

/// The second object refuses: it knows of no holder in this thread. The note has another reason, that node 1 holds and not
/// node 2; no node is looked at (slip 28).
pub fn another_instance() -> Program {
    in_one_thread("release by another instance", |hub, client| {
        let mutex = Mutex::new(client, LOCK);
        mutex.acquire().expect("nobody else is there");
        let mutex2 = Mutex::new(client, LOCK);
        let refused = mutex2.release().expect_err("it holds nothing");
        assert_eq!(refused, Error::NotOwner { base: LOCK.into() });
        assert_eq!(refused.to_string(), format!("You do not own the lock: {LOCK}"));
        assert!(mutex.is_acquired_in_this_process() && nodes(hub).len() == 1, "the lock is as it was");
        mutex.release().expect("it is held");
        assert_eq!(nodes(hub).len(), 0);
    })
    .about("A thread that holds a lock by one object releases it by another: it is refused, and the lock stays held.")
}

/// The object refuses the other thread, of which it knows no acquisition (slip 29).
pub fn another_thread() -> Program {
    program("release from another thread", |stage| {
        let (hub, clients) = clients(stage, 1);
        let mutex = Arc::new(Mutex::new(&clients[0], LOCK));
        mutex.acquire().expect("nobody else is there");
        let (shared, own) = (mutex.clone(), *stage);
        stage.thread("new thread", move || {
            let refused = shared.release().expect_err("another thread holds");
            assert_eq!(refused.to_string(), format!("You do not own the lock: {LOCK}"));
            own.reached("refused");
        });
        stage.rest();
        assert!(mutex.is_owned_by_current_thread() && nodes(&hub).len() == 1, "the lock is as it was");
        mutex.release().expect("it is held");
        assert_eq!(nodes(&hub).len(), 0);
    })
    .about("One thread holds a lock, another one releases it by the same object: it is refused.")
    .source(SOURCE)
    .sometimes(&["refused"])
}

/// The note speaks of `InterProcessSemaphoreMutex`, and its examples are of `InterProcessMutex`. The former is another
/// thing: any thread may release it.
pub fn semaphore_from_another_thread() -> Program {
    program("semaphore mutex, release from another thread", |stage| {
        let (_, clients) = clients(stage, 1);
        let mutex = Arc::new(InterProcessSemaphoreMutex::new(&clients[0], LOCK));
        mutex.acquire().expect("nobody else is there");
        let (shared, own) = (mutex.clone(), *stage);
        stage.thread("new thread", move || {
            shared.release().expect("any thread may");
            own.reached("released");
        });
        stage.rest();
        assert_eq!(mutex.release().map_err(|refused| refused.to_string()), Err("Not acquired".into()));
    })
    .about("One thread holds a semaphore mutex, and another one releases it: any thread may.")
    .source(SOURCE)
    .sometimes(&["released"])
}

/// The semaphore mutex is not re-entrant: a thread that acquires it twice waits for itself.
pub fn semaphore_twice() -> Program {
    program("semaphore mutex, twice in one thread", |stage| {
        let (hub, clients) = clients(stage, 1);
        let client = clients[0].clone();
        stage.thread("main", move || {
            let mutex = InterProcessSemaphoreMutex::new(&client, LOCK);
            mutex.acquire().expect("nobody else is there");
            mutex.acquire().expect("it never comes back");
        });
        stage.rest_or(|_| hub.who_waits());
    })
    .about("A thread acquires a semaphore mutex twice by one object: it waits for itself.")
    .source(SOURCE)
    .breaks(NO_HANG)
    .fixed_by("one instance, acquired twice")
}

/// Runs the body as the only thread, in every schedule with its client's threads.
fn in_one_thread(name: &str, body: impl Fn(&TestHub, &TestClient) + Send + Sync + Clone + 'static) -> Program {
    program(name, move |stage| {
        let (hub, clients) = clients(stage, 1);
        let (body, client, own) = (body.clone(), clients[0].clone(), *stage);
        stage.thread("main", move || {
            body(&hub, &client);
            own.reached("the end");
        });
    })
    .source(SOURCE)
    .sometimes(&["the end"])
}
