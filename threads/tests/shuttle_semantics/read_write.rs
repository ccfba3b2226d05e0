//! §5.2 and §5.4: readers and writers, several locks as one.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use overtake_threads::check::{Engine, Program, Verdict, program};
use overtake_threads::sync::{Shuttle, Threads};
use overtake_threads::{Error, InterProcessLock, InterProcessMultiLock, InterProcessReadWriteLock};

use crate::shuttle_common::*;

#[test]
fn readers_share_and_a_writer_is_alone() {
    proved(Engine::Systematic, &readers_and_writers(&[("reader", false), ("writer", true)]));
    let two_readers = [("reader", false), ("other reader", false)];
    proved(Engine::Systematic, &readers_and_writers(&two_readers).sometimes(&["two readers at once"]));
    let three = [two_readers[0], two_readers[1], ("writer", true)];
    sampled(Engine::Pct { depth: 3, seed: 1 }, &readers_and_writers(&three).sometimes(&["two readers at once"]), 2_000);
}

fn readers_and_writers(who: &[(&'static str, bool)]) -> Program {
    let who = who.to_vec();
    program("readers and writers", move |stage| {
        let (hub, clients) = clients(stage, who.len());
        // Readers count by one, a writer by a hundred.
        let inside = Arc::new(Shuttle::word("section", 0));
        for (place, (name, writes)) in who.iter().enumerate() {
            let (client, inside, own, writes) = (clients[place].clone(), inside.clone(), *stage, *writes);
            stage.thread(name, move || {
                let lock = InterProcessReadWriteLock::new(&client, LOCK);
                let side = if writes { lock.write_lock() } else { lock.read_lock() };
                side.acquire().unwrap();
                let before = Shuttle::fetch_add(&inside, if writes { 100 } else { 1 }, SeqCst);
                let alone = if writes { before == 0 } else { before < 100 };
                own.holds(alone, "no writer with anybody else", || format!("{before} were inside"));
                if !writes && before == 1 {
                    own.reached("two readers at once");
                }
                Shuttle::fetch_sub(&inside, if writes { 100 } else { 1 }, SeqCst);
                side.release().unwrap();
            });
        }
        stage.rest_or(|_| hub.who_waits());
        nothing_left(stage, &hub);
    })
}

/// A writer that takes the read lock keeps its place by it; other writers stay out when the write lock is released.
#[test]
fn a_writer_may_read_and_so_downgrade() {
    let down = program("downgrade", |stage| {
        let (hub, clients) = clients(stage, 2);
        let lock = InterProcessReadWriteLock::new(&clients[0], LOCK);
        let (read, write) = (lock.read_lock(), lock.write_lock());
        write.acquire().unwrap();
        let client = clients[1].clone();
        let writes = Arc::new(Shuttle::flag("written", false));
        let written = writes.clone();
        stage.thread("other writer", move || {
            let other = InterProcessReadWriteLock::new(&client, LOCK).write_lock();
            other.acquire().unwrap();
            Shuttle::set(&written, true, SeqCst);
            other.release().unwrap();
        });
        // It is in the queue before the reader's node is made.
        stage.settle();
        read.acquire().unwrap();
        write.release().unwrap();
        stage.rest();
        assert!(!Shuttle::is_set(&writes, SeqCst), "the reader keeps the writer out");
        read.release().unwrap();
        stage.rest_or(|_| hub.who_waits());
        assert!(Shuttle::is_set(&writes, SeqCst));
        nothing_left(stage, &hub);
    });
    proved(Engine::Systematic, &down);
}

/// A reader that wants to write waits for itself.
#[test]
fn a_reader_cannot_upgrade() {
    let up = program("upgrade", |stage| {
        let (hub, clients) = clients(stage, 1);
        let client = clients[0].clone();
        stage.thread("main", move || {
            let lock = InterProcessReadWriteLock::new(&client, LOCK);
            lock.read_lock().acquire().unwrap();
            assert_eq!(lock.write_lock().acquire_timeout(Duration::from_secs(1)), Ok(false));
            lock.write_lock().acquire().unwrap();
        });
        stage.rest_or(|_| hub.who_waits());
    });
    let outcome = find(Engine::Systematic, &up, 10_000);
    let Verdict::Falsified(trace) = outcome.verdict else { panic!("{outcome}") };
    assert!(trace.because.starts_with("main waits for itself: main waits for"), "{}", trace.because);
}

#[test]
fn another_thread_of_the_process_is_another_contender() {
    let threads = program("downgrading respects threads", |stage| {
        let (_, clients) = clients(stage, 1);
        let lock = Arc::new(InterProcessReadWriteLock::new(&clients[0], LOCK));
        lock.write_lock().acquire().unwrap();
        let (shared, own) = (lock.clone(), *stage);
        stage.thread("other thread", move || {
            assert!(shared.write_lock().is_acquired_in_this_process());
            assert!(!shared.write_lock().is_owned_by_current_thread());
            assert_eq!(shared.write_lock().release(), Err(Error::NotOwner { base: LOCK.into() }));
            assert_eq!(shared.read_lock().acquire_timeout(Duration::from_secs(1)), Ok(false));
            own.reached("kept out");
        });
        stage.rest();
    });
    proved(Engine::Systematic, &threads.sometimes(&["kept out"]));
}

/// Two objects with the locks in opposite orders wait for one another; the circle is told.
#[test]
fn several_locks_in_opposite_orders_deadlock() {
    let opposite = program("two multi-locks in opposite orders", |stage| {
        let (hub, clients) = clients(stage, 2);
        hub.with("makes the second lock", |zk| {
            let path = overtake_sim::names::Text::new("/curator/other");
            zk.server_mut().seed_node(path, None, overtake_recipes::CreateMode::Persistent);
        });
        for (place, (name, paths)) in
            [("one", [LOCK, "/curator/other"]), ("two", ["/curator/other", LOCK])].into_iter().enumerate()
        {
            let client = clients[place].clone();
            stage.thread(name, move || {
                let lock = |path| Arc::new(ImpatientMutex::over(&client, path)) as Arc<dyn InterProcessLock<Shuttle>>;
                let both = InterProcessMultiLock::new(paths.map(lock).into());
                both.acquire().unwrap();
                both.release().unwrap();
            });
        }
        stage.rest_or(|_| hub.who_waits());
    });
    let outcome = find(Engine::Systematic, &opposite, 200_000);
    let Verdict::Falsified(trace) = outcome.verdict else { panic!("{outcome}") };
    assert!(trace.because.contains("is in a circle"), "{}", trace.because);
}

/// All or nothing: a time-out of the second gives the first back.
#[test]
fn several_locks_are_all_or_nothing() {
    let both = program("a multi-lock whose second lock is taken", |stage| {
        let (hub, clients) = clients(stage, 2);
        let taken = Mutex::new(&clients[1], "/curator");
        taken.acquire().unwrap();
        let client = clients[0].clone();
        stage.thread("main", move || {
            let lock = |path| Arc::new(ImpatientMutex::over(&client, path)) as Arc<dyn InterProcessLock<Shuttle>>;
            let both = InterProcessMultiLock::new(vec![lock(LOCK), lock("/curator")]);
            assert_eq!(both.acquire_timeout(Duration::from_secs(1)), Ok(false));
            assert!(!both.is_acquired_in_this_process());
        });
        stage.rest();
        nothing_left(stage, &hub);
    });
    proved(Engine::Systematic, &both);
}

/// Both sides are mutexes, and say what those say.
#[test]
fn a_client_that_is_closed_during_the_wait_says_so() {
    let closed = program("closed while waiting to write", |stage| {
        let (_, clients) = clients(stage, 2);
        let reader = InterProcessReadWriteLock::new(&clients[0], LOCK).read_lock();
        reader.acquire().unwrap();
        let (client, own) = (clients[1].clone(), *stage);
        stage.thread("writer", move || {
            let refused = InterProcessReadWriteLock::new(&client, LOCK).write_lock().acquire().unwrap_err();
            assert_eq!(refused, Error::Lost { base: LOCK.into() });
            own.reached("told");
        });
        stage.settle();
        let client = clients[1].clone();
        stage.thread("closer", move || client.close());
        stage.rest();
    });
    proved(Engine::Systematic, &closed.sometimes(&["told"]));
}

/// Interrupted while it waits: the node goes in the background, and the flag stays set.
#[test]
fn an_interrupted_writer_leaves_no_node() {
    use overtake_threads::Interrupt;
    let interrupted = program("a writer is interrupted", |stage| {
        let (hub, clients) = clients(stage, 2);
        let reader = InterProcessReadWriteLock::new(&clients[0], LOCK).read_lock();
        reader.acquire().unwrap();
        let interrupt = Arc::new(Interrupt::<Shuttle>::new());
        let (client, own, signal) = (clients[1].clone(), *stage, interrupt.clone());
        stage.thread("writer", move || {
            let side = InterProcessReadWriteLock::new(&client, LOCK).write_lock();
            assert_eq!(side.acquire_or(&signal, None), Err(Error::Interrupted));
            assert!(signal.is_set() && side.node().is_none());
            own.reached("interrupted");
        });
        stage.thread("interrupter", move || interrupt.interrupt());
        stage.rest();
        assert_eq!(nodes(&hub).len(), 1, "only the reader's node is left");
    });
    proved(Engine::Systematic, &interrupted.sometimes(&["interrupted"]));
}

/// Where the two part: Curator's takes a new node, this one tells its caller (see the module's head).
#[test]
fn a_session_that_ends_during_the_wait_is_told() {
    let told = program("a writer whose session ends", |stage| {
        let (hub, clients) = clients(stage, 2);
        let reader = InterProcessReadWriteLock::new(&clients[0], LOCK).read_lock();
        reader.acquire().unwrap();
        let (client, own) = (clients[1].clone(), *stage);
        stage.thread("writer", move || {
            let refused = InterProcessReadWriteLock::new(&client, LOCK).write_lock().acquire();
            assert_eq!(refused, Err(Error::Zk(overtake_recipes::ZkError::SessionExpired)));
            own.reached("told");
        });
        stage.settle();
        hub.expire(1);
        hub.reconnect(1);
        stage.rest();
        assert_eq!(nodes(&hub).len(), 1);
    });
    proved(Engine::Systematic, &told.sometimes(&["told"]));
}
