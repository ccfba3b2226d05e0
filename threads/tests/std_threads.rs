//! The sync parts and the mutex on the threads of the operating system, small enough for Miri and ThreadSanitizer
//! (`.ci/sanitize`). Nothing here depends on how long anything takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::task::{Poll, Waker};
use std::time::Duration;

use overtake_threads::block_on::{Tasks, block_on, block_on_or};
use overtake_threads::client::{Hub, Options};
use overtake_threads::gate::Gate;
use overtake_threads::owners::{Owners, Released};
use overtake_threads::wake::{EVENT, INTERRUPT, WakeCell};
use overtake_threads::{
    Client, Error, InterProcessLock, InterProcessMutex, InterProcessReadWriteLock, InterProcessSemaphoreV2, Interrupt,
    LeaderLatch, Simulated, Std,
};

/// Miri is some thousand times slower.
const TIMES: usize = if cfg!(miri) { 5 } else { 300 };

#[test]
fn every_note_arrives() {
    for _ in 0..TIMES {
        let cell = Arc::new(WakeCell::<Std>::new());
        let posters = [EVENT, INTERRUPT, 4].map(|note| {
            let cell = cell.clone();
            std::thread::spawn(move || cell.post(note))
        });
        while cell.wait() != EVENT | INTERRUPT | 4 {}
        posters.into_iter().for_each(|poster| poster.join().expect("it posts"));
    }
}

#[test]
fn a_future_completed_by_another_thread_is_ready() {
    for number in 0..TIMES {
        let slot = Arc::new(std::sync::Mutex::new((None, None::<Waker>)));
        let other = slot.clone();
        let completes = std::thread::spawn(move || {
            let mut slot = other.lock().expect("nobody panics");
            slot.0 = Some(number);
            if let Some(waker) = slot.1.take() {
                waker.wake();
            }
        });
        let future = std::future::poll_fn(|context| {
            let mut slot = slot.lock().expect("nobody panics");
            match slot.0.take() {
                Some(value) => Poll::Ready(value),
                None => {
                    slot.1 = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        });
        assert_eq!(block_on::<Std, _>(&Tasks::default(), future), number);
        completes.join().expect("it completes");
    }
}

#[test]
fn what_never_comes_is_interrupted() {
    for _ in 0..TIMES {
        let interrupt = Arc::new(Interrupt::<Std>::new());
        let other = interrupt.clone();
        let interrupts = std::thread::spawn(move || other.interrupt());
        assert!(block_on_or(&Tasks::default(), &interrupt, std::future::pending::<()>()).is_err());
        interrupts.join().expect("it interrupts");
        // It stays set.
        assert!(block_on_or(&Tasks::default(), &interrupt, std::future::ready(())).is_err());
        interrupt.clear();
        assert!(block_on_or(&Tasks::default(), &interrupt, std::future::ready(())).is_ok());
    }
}

#[test]
fn nothing_is_done_behind_a_closed_gate() {
    for _ in 0..TIMES {
        let gate = Arc::new(Gate::<Std>::new());
        let work = Arc::new(AtomicUsize::new(0));
        let callbacks = [1, 2].map(|_| {
            let (gate, work) = (gate.clone(), work.clone());
            std::thread::spawn(move || {
                if gate.enter() {
                    work.fetch_add(1, SeqCst);
                    gate.leave();
                }
            })
        });
        let inside = gate.close();
        let seen = work.load(SeqCst);
        callbacks.into_iter().for_each(|callback| callback.join().expect("it is over"));
        assert!(gate.is_closed() && (inside || work.load(SeqCst) == seen));
        assert!(!gate.enter());
    }
}

#[test]
fn each_thread_owns_its_own() {
    let owners = Arc::new(Owners::<Std, usize>::new());
    let threads = [1, 2, 3].map(|number| {
        let owners = owners.clone();
        std::thread::spawn(move || {
            for _ in 0..TIMES {
                assert!(matches!(owners.release(), Released::NotOwner));
                owners.hold(number);
                assert!(owners.again() && owners.count() == 2 && owners.anybody());
                assert!(matches!(owners.release(), Released::Still(1)));
                assert!(matches!(owners.release(), Released::Last(hold) if hold.granted == number));
                owners.forget();
            }
        })
    });
    threads.into_iter().for_each(|thread| thread.join().expect("it owns its own"));
    assert!(!owners.anybody());
}

/// Two clients, two threads each, one lock: one at a time, each as often as it likes.
#[test]
fn one_at_a_time_holds_the_mutex() {
    let hub = Hub::<Std, Simulated>::new(Simulated::new(2, &[LOCK]), 2);
    let clients = [0, 1].map(|place| Client::start(&hub, place, Options::default()));
    let inside = Arc::new(AtomicBool::new(false));
    let mut threads = Vec::new();
    for client in &clients {
        let mutex = Arc::new(InterProcessMutex::new(client, LOCK));
        for _ in 0..2 {
            let (mutex, inside) = (mutex.clone(), inside.clone());
            threads.push(std::thread::spawn(move || {
                for _ in 0..TIMES.div_ceil(10) {
                    mutex.acquire().expect("granted");
                    assert!(!inside.swap(true, SeqCst), "somebody else is in");
                    assert!(mutex.acquire_timeout(Duration::ZERO).expect("granted again"));
                    mutex.release().expect("still held");
                    assert!(mutex.is_acquired_in_this_process() && mutex.is_owned_by_current_thread());
                    assert!(inside.swap(false, SeqCst), "somebody else went out");
                    mutex.release().expect("given back");
                    assert!(!mutex.is_owned_by_current_thread());
                }
            }));
        }
    }
    for thread in threads {
        thread.join().expect("it is through");
    }
    assert!(hub.with("looks at the nodes", |service| service.children(LOCK)).is_empty(), "no node is left");
    clients.iter().for_each(Client::close);
}

const LOCK: &str = "/lock";
type TestHub = Arc<Hub<Std, Simulated>>;
type TestClient = Client<Std, Simulated>;

fn two_clients() -> (TestHub, [TestClient; 2]) {
    let hub = Hub::<Std, Simulated>::new(Simulated::new(2, &[LOCK]), 2);
    let clients = [0, 1].map(|place| Client::start(&hub, place, Options::default()));
    (hub, clients)
}

fn nodes(hub: &TestHub) -> usize {
    hub.with("looks at the nodes", |service| service.children(LOCK)).len()
}

/// Waits until so many nodes are there: somebody stands in the queue.
fn until_there_are(hub: &TestHub, number: usize) {
    while nodes(hub) != number {
        std::thread::yield_now();
    }
}

#[test]
fn a_timed_acquire_comes_back_without_the_lock() {
    let (hub, clients) = two_clients();
    let holder = InterProcessMutex::new(&clients[0], LOCK);
    holder.acquire().expect("nobody else is there");
    let mutex = InterProcessMutex::new(&clients[1], LOCK);
    for time in [Duration::ZERO, Duration::from_millis(1)] {
        assert_eq!(mutex.acquire_timeout(time), Ok(false));
        assert_eq!(nodes(&hub), 1, "only the holder's node is left");
    }
    holder.release().expect("given back");
    assert_eq!(mutex.acquire_timeout(Duration::from_secs(3600)), Ok(true));
    mutex.release().expect("given back");
    clients.iter().for_each(Client::close);
}

#[test]
fn there_are_never_more_leases_than_allowed() {
    let (_, clients) = two_clients();
    let out = Arc::new(AtomicUsize::new(0));
    let threads = clients.clone().map(|client| {
        let out = out.clone();
        std::thread::spawn(move || {
            let semaphore = InterProcessSemaphoreV2::new(&client, LOCK, 1);
            for _ in 0..TIMES.div_ceil(30) {
                let lease = semaphore.acquire().expect("granted");
                assert_eq!(out.fetch_add(1, SeqCst), 0, "another lease is out");
                out.fetch_sub(1, SeqCst);
                lease.close().expect("given back");
            }
        })
    });
    threads.into_iter().for_each(|thread| thread.join().expect("it is through"));
    clients.iter().for_each(Client::close);
}

#[test]
fn a_writer_is_alone() {
    let (hub, clients) = two_clients();
    // Readers count by one, a writer by a hundred.
    let inside = Arc::new(AtomicUsize::new(0));
    let threads = [(0, false), (0, true), (1, false), (1, true)].map(|(place, writes)| {
        let (client, inside) = (clients[place].clone(), inside.clone());
        std::thread::spawn(move || {
            let lock = InterProcessReadWriteLock::new(&client, LOCK);
            let side = if writes { lock.write_lock() } else { lock.read_lock() };
            for _ in 0..TIMES.div_ceil(30) {
                side.acquire().expect("granted");
                let before = inside.fetch_add(if writes { 100 } else { 1 }, SeqCst);
                assert!(if writes { before == 0 } else { before < 100 }, "{before} were inside");
                inside.fetch_sub(if writes { 100 } else { 1 }, SeqCst);
                side.release().expect("given back");
            }
        })
    });
    threads.into_iter().for_each(|thread| thread.join().expect("it is through"));
    assert_eq!(nodes(&hub), 0);
    clients.iter().for_each(Client::close);
}

#[test]
fn the_next_latch_leads_when_the_first_is_closed() {
    let (_, clients) = two_clients();
    let [first, second] = clients.clone().map(|client| LeaderLatch::new(&client, LOCK));
    first.start().expect("it is fresh");
    first.await_leadership().expect("it is alone");
    second.start().expect("it is fresh");
    assert!(!second.await_leadership_timeout(Duration::from_millis(1)));
    first.close().expect("it was started");
    second.await_leadership().expect("it is alone now");
    assert!(second.has_leadership() && !first.has_leadership());
    clients.iter().for_each(Client::close);
}

#[test]
fn a_listener_is_told_in_order() {
    use overtake_recipes::client::ConnectionState;
    let (hub, clients) = two_clients();
    let (tells, told) = std::sync::mpsc::channel();
    clients[0].listen(move |state| tells.send(state).expect("somebody listens"));
    hub.disconnect(0);
    hub.reconnect(0);
    // What it was told first is the connection that was there before it listened, if that was still on its way.
    let told: Vec<_> = told.iter().filter(|state| *state != ConnectionState::Connected).take(2).collect();
    assert_eq!(told, [ConnectionState::Suspended, ConnectionState::Reconnected]);
    clients.iter().for_each(Client::close);
}

/// Interrupted, or told that the client was closed: the wait ends, and the node goes.
#[test]
fn a_wait_ends_by_an_interrupt_and_by_a_close() {
    let (hub, clients) = two_clients();
    let holder = InterProcessMutex::new(&clients[0], LOCK);
    holder.acquire().expect("nobody else is there");
    let interrupt = Arc::new(Interrupt::<Std>::new());
    let (client, signal) = (clients[1].clone(), interrupt.clone());
    let waits = std::thread::spawn(move || InterProcessMutex::new(&client, LOCK).acquire_or(&signal, None));
    until_there_are(&hub, 2);
    interrupt.interrupt();
    assert_eq!(waits.join().expect("it does not panic"), Err(Error::Interrupted));
    // The background takes the node away.
    until_there_are(&hub, 1);

    let client = clients[1].clone();
    let waits = std::thread::spawn(move || InterProcessMutex::new(&client, LOCK).acquire());
    until_there_are(&hub, 2);
    clients[1].close();
    assert_eq!(waits.join().expect("it does not panic"), Err(Error::Lost { base: LOCK.into() }));
    assert_eq!(nodes(&hub), 1, "the session took its node along");
    holder.release().expect("given back");
    clients[0].close();
}
