//! The small lock-free parts and their twins, for loom.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crate::block_on::{Tasks, block_on};
use crate::check::MemoryProgram;
use crate::faulty::{Closes, GateCheckedFirst, GateRelaxed, HandOver, WakeCheckedThenParked, WakeRelaxed};
use crate::gate::Gate;
use crate::owners::{Owners, Released};
use crate::sync::{Loom, Role, Threads};
use crate::wake::WakeCell;

/// A program, and whether it is right.
#[derive(Clone, Debug)]
pub struct Part {
    /// The program.
    pub program: MemoryProgram,
    /// Whether there is nothing to be found.
    pub right: bool,
}

/// All of them.
pub fn all() -> Vec<Part> {
    let part = |name: &str, right: bool, body: fn()| Part { program: MemoryProgram::new(name, body), right };
    vec![
        part("wake-up cell: one event", true, one_event::<WakeCell<Loom>>),
        part("wake-up cell: an event and an interrupt", true, two_posts::<WakeCell<Loom>>),
        part("wake-up cell, relaxed: an event and an interrupt", false, two_posts::<WakeRelaxed<Loom>>),
        part("wake-up cell, checked then parked", false, one_event::<WakeCheckedThenParked<Loom>>),
        part("a future on the cell", true, future),
        part("owner table: two owners", true, two_owners),
        part("re-entrance: others look on", true, counter),
        part("closed flag: a late callback", true, late_callback::<Gate<Loom>>),
        part("closed flag, relaxed", false, late_callback::<GateRelaxed<Loom>>),
        part("closed flag, checked first", false, late_callback::<GateCheckedFirst<Loom>>),
        part("session: published before it is read", true, published),
    ]
}

fn thread(name: &str, body: impl FnOnce() + Send + 'static) -> <Loom as Threads>::Join<()> {
    Loom::spawn(Role::Program, name.into(), body)
}

/// The waiter wakes, and finds the note that the event thread has left.
fn one_event<C: HandOver>() {
    thread("waiter", || {
        let cell = Arc::new(C::make());
        let other = cell.clone();
        thread("event thread", move || other.post(4));
        assert_eq!(cell.wait(), 4, "the note is there with the wake-up");
    });
}

/// Two threads post; the waiter has both notes in the end, in one wake-up or in two. (With one, loom would not see what is
/// wrong with the relaxed twin: its unpark hands over everything, and nothing comes between the flag and the unpark. The
/// second post finds the flag set and unparks nobody.)
fn two_posts<C: HandOver>() {
    thread("waiter", || {
        let cell = Arc::new(C::make());
        for note in [1, 2] {
            let cell = cell.clone();
            thread("poster", move || cell.post(note));
        }
        while cell.wait() != 3 {}
    });
}

/// A future that another thread completes.
fn future() {
    use std::task::{Poll, Waker};
    thread("waiter", || {
        let slot = Arc::new(Loom::mutex("slot", (None::<u8>, None::<Waker>)));
        let other = slot.clone();
        thread("event thread", move || {
            let mut slot = Loom::lock(&other);
            slot.0 = Some(7);
            let waker = slot.1.take();
            drop(slot);
            if let Some(waker) = waker {
                waker.wake();
            }
        });
        let future = std::future::poll_fn(|context| {
            let mut slot = Loom::lock(&slot);
            match slot.0.take() {
                Some(value) => Poll::Ready(value),
                None => {
                    slot.1 = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        });
        assert_eq!(block_on::<Loom, _>(&Tasks::default(), future), 7);
    });
}

/// Two threads hold each their own; neither sees the other's.
fn two_owners() {
    let owners = Arc::new(Owners::<Loom, u8>::new());
    let threads = [1, 2].map(|number| {
        let owners = owners.clone();
        thread("owner", move || {
            owners.hold(number);
            assert!(matches!(owners.release(), Released::Last(hold) if hold.granted == number));
            owners.forget();
        })
    });
    threads.into_iter().for_each(Loom::join);
    assert!(!owners.anybody());
}

/// An owner re-enters while another thread asks and tries to release.
fn counter() {
    let owners = Arc::new(Owners::<Loom, u8>::new());
    let (mine, looks) = (owners.clone(), owners.clone());
    let owner = thread("owner", move || {
        mine.hold(1);
        assert!(mine.again());
        assert_eq!(mine.count(), 2);
        assert!(matches!(mine.release(), Released::Still(1)));
        assert!(matches!(mine.release(), Released::Last(_)));
        mine.forget();
    });
    let other = thread("other", move || {
        let _ = looks.anybody();
        assert!(matches!(looks.release(), Released::NotOwner), "another thread's hold is not one's own");
    });
    Loom::join(owner);
    Loom::join(other);
    assert!(!owners.anybody());
}

/// Whoever closes and finds nobody inside has seen all that was done, and nothing is done any more.
fn late_callback<G: Closes>() {
    let gate = Arc::new(G::make());
    let done = Arc::new(Loom::word("work", 0));
    let (other, work) = (gate.clone(), done.clone());
    let callback = thread("callback", move || {
        if other.enter() {
            Loom::store(&work, 1, Relaxed);
            other.leave();
        }
    });
    let inside = gate.close();
    let seen = Loom::load(&done, Relaxed);
    Loom::join(callback);
    let at_last = Loom::load(&done, Relaxed);
    assert!(inside || seen == at_last, "closed with nobody inside, and yet: work was {seen} and is {at_last}");
}

/// Who sees the new session sees what came before it.
fn published() {
    let session = Arc::new(Loom::word("session", 1));
    let tree = Arc::new(Loom::word("what the session made", 0));
    let (new, made) = (session.clone(), tree.clone());
    let connects = thread("connects", move || {
        Loom::store(&made, 1, Relaxed);
        Loom::store(&new, 2, std::sync::atomic::Ordering::Release);
    });
    if Loom::load(&session, std::sync::atomic::Ordering::Acquire) == 2 {
        assert_eq!(Loom::load(&tree, Relaxed), 1, "the session is there, what it made is not");
    }
    Loom::join(connects);
}
