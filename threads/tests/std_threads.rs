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
use overtake_threads::{Client, InterProcessLock, InterProcessMutex, Interrupt, Simulated, Std};

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
    const LOCK: &str = "/lock";
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
