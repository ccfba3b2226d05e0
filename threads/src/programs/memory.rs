//! The small parts that threads share and their twins, for loom and for the searches over schedules: the same bodies.
//!
//! The searches over schedules take every order as sequentially consistent. So a twin that goes wrong by the order of
//! events is caught by both, and one that goes wrong by what the memory model lets a thread read by loom alone.

use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::block_on::{Interrupt, Tasks, block_on, block_on_or};
use crate::check::memory::as_program;
use crate::check::{Judge, MemoryProgram, NO_HANG, Program};
use crate::faulty::{
    Closes, GateCheckedFirst, GateRelaxed, HandOver, OwnersCopied, OwnersCountedTogether, OwnersFlagRelaxed,
    OwnersSlot, OwnersUnnamed, Owns, WakeCheckedThenParked, WakeClearedLate, WakeNotesLast, WakeRelaxed,
};
use crate::gate::Gate;
use crate::owners::Owners;
use crate::sync::{Loom, Role, Shuttle, Threads};
use crate::wake::WakeCell;

/// What was written before a wake-up, a look at a hold, or a new session is seen with it.
const SEEN: &str = "who sees the sign sees what came before it";
/// The closed flag.
const NOTHING_LATE: &str = "closed with nobody inside, nothing is done any more";
/// The owner table and its counters.
const OWN: &str = "a thread owns what it was granted, as often as it acquired";
/// What others are told of an owner.
const TOLD: &str = "a lock that is held is said to be held";

/// Who finds what is wrong with a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caught {
    /// Nobody: it is right.
    Never,
    /// loom alone: it takes a value that the memory model lets a thread read, and no order of events would.
    ByLoom,
    /// Whoever tries the orders of events.
    ByAll,
}

/// A program, in the form of each engine.
#[derive(Clone, Debug)]
pub struct Part {
    /// For loom.
    pub program: MemoryProgram,
    /// For the searches over schedules.
    pub schedules: Program,
    /// Whether there is nothing to be found.
    pub right: bool,
    /// Who finds what is wrong with it.
    pub caught: Caught,
    /// The property that is violated; empty where none is.
    pub violates: &'static str,
}

impl Part {
    fn new(name: &str, loom: fn(Judge), shuttle: fn(Judge), happens: &[&'static str]) -> Self {
        Self {
            program: MemoryProgram::new(name, move || loom(Judge::Loom)).sometimes(happens),
            schedules: as_program(name, shuttle).sometimes(happens),
            right: true,
            caught: Caught::Never,
            violates: "",
        }
    }

    /// A twin: what it violates, where it is caught, and the program that is right.
    fn breaks(mut self, violates: &'static str, caught: Caught, right: &str) -> Self {
        self.program = self.program.fixed_by(right);
        if caught == Caught::ByAll {
            self.schedules = self.schedules.breaks(violates).fixed_by(right);
        }
        Self { right: false, caught, violates, ..self }
    }
}

macro_rules! part {
    ($name:expr, $body:ident, $happens:expr) => {
        Part::new($name, $body::<Loom>, $body::<Shuttle>, &$happens)
    };
    ($name:expr, $body:ident of $with:ident, $happens:expr) => {
        Part::new($name, $body::<Loom, $with<Loom>>, $body::<Shuttle, $with<Shuttle>>, &$happens)
    };
    ($name:expr, $body:ident of $with:ident of number, $happens:expr) => {
        Part::new($name, $body::<Loom, $with<Loom, usize>>, $body::<Shuttle, $with<Shuttle, usize>>, &$happens)
    };
}

const ONE_EVENT: &str = "wake-up cell: one event";
const TWO_POSTS: &str = "wake-up cell: an event and an interrupt";
const TWO_OWNERS: &str = "owner table: two owners";
const HANDED_OVER: &str = "owner table: from one thread to the next";
const LOOKED_AT: &str = "owner table: another thread looks";
const COUNTER: &str = "re-entrance: others look on";
const LATE: &str = "closed flag: a late callback";
const SESSION: &str = "session: published before it is read";

/// All of them.
pub fn all() -> Vec<Part> {
    [wake_up(), owners(), gate(), session()].concat()
}

fn wake_up() -> Vec<Part> {
    let both = ["both notes in one wake-up", "the notes in two wake-ups"];
    let waits = ["ready at the first look", "ready at a later look"];
    vec![
        part!(ONE_EVENT, one_event of WakeCell, ["woken"]),
        part!("wake-up cell, checked then parked", one_event of WakeCheckedThenParked, []).breaks(
            NO_HANG,
            Caught::ByAll,
            ONE_EVENT,
        ),
        part!("wake-up cell, notes last", one_event of WakeNotesLast, []).breaks(SEEN, Caught::ByAll, ONE_EVENT),
        part!(TWO_POSTS, two_posts of WakeCell, both),
        part!("wake-up cell, relaxed", two_posts of WakeRelaxed, both).breaks(NO_HANG, Caught::ByLoom, TWO_POSTS),
        part!("wake-up cell, cleared late", two_posts of WakeClearedLate, both).breaks(
            NO_HANG,
            Caught::ByAll,
            TWO_POSTS,
        ),
        part!("a future on the cell", future, waits),
        part!("an interrupt at any moment", interrupted, []),
    ]
}

fn owners() -> Vec<Part> {
    let two = ["the other one holds too", "nobody holds any more"];
    let next = ["given back, and granted to the next"];
    let looks = ["seen to be held", "seen to be free"];
    vec![
        part!(TWO_OWNERS, two_owners of Owners of number, two),
        part!("owner table, copied and put back", two_owners of OwnersCopied, two).breaks(
            OWN,
            Caught::ByAll,
            TWO_OWNERS,
        ),
        part!("re-entrance, counted together in two steps", two_owners of OwnersCountedTogether, two).breaks(
            TOLD,
            Caught::ByAll,
            TWO_OWNERS,
        ),
        part!(HANDED_OVER, handed_over of Owners of number, next),
        part!("owner table, one slot", handed_over of OwnersSlot, next).breaks(OWN, Caught::ByAll, HANDED_OVER),
        part!(LOOKED_AT, looked_at of Owners of number, looks),
        part!("owner table, a relaxed short cut", looked_at of OwnersFlagRelaxed, looks).breaks(
            SEEN,
            Caught::ByLoom,
            LOOKED_AT,
        ),
        part!(COUNTER, counter of Owners of number, looks),
        part!("re-entrance, counted without a name", counter of OwnersUnnamed, looks).breaks(
            OWN,
            Caught::ByAll,
            COUNTER,
        ),
    ]
}

fn gate() -> Vec<Part> {
    let happens = ["the callback is let in", "the callback is turned away", "closed with somebody inside"];
    vec![
        part!(LATE, late_callback of Gate, happens),
        part!("closed flag, relaxed", late_callback of GateRelaxed, happens).breaks(NOTHING_LATE, Caught::ByLoom, LATE),
        part!("closed flag, checked first", late_callback of GateCheckedFirst, happens).breaks(
            NOTHING_LATE,
            Caught::ByAll,
            LATE,
        ),
    ]
}

fn session() -> Vec<Part> {
    let seen = ["the new session is seen", "the old session is seen"];
    vec![
        part!(SESSION, published, seen),
        part!("session, published relaxed", published_relaxed, seen).breaks(SEEN, Caught::ByLoom, SESSION),
    ]
}

fn thread<S: Threads>(name: &str, body: impl FnOnce() + Send + 'static) -> S::Join<()> {
    S::spawn(Role::Program, name.into(), body)
}

/// The waiter wakes, and finds the note that the event thread has left.
fn one_event<S: Threads, C: HandOver>(judge: Judge) {
    thread::<S>("waiter", move || {
        let cell = Arc::new(C::make());
        let other = cell.clone();
        thread::<S>("event thread", move || other.post(4));
        let notes = cell.wait();
        judge.holds(notes == 4, SEEN, || format!("the waiter is woken by note 4, and finds {notes}"));
        judge.reached("woken");
    });
}

/// Two threads post; the waiter has both notes in the end, in one wake-up or in two. (With one, loom would not see what is
/// wrong with the relaxed twin: its unpark hands over everything, and nothing comes between the flag and the unpark. The
/// second post finds the flag set and unparks nobody.)
fn two_posts<S: Threads, C: HandOver>(judge: Judge) {
    thread::<S>("waiter", move || {
        let cell = Arc::new(C::make());
        for note in [1, 2] {
            let cell = cell.clone();
            thread::<S>(["event thread", "interrupter"][note - 1], move || cell.post(note));
        }
        let mut times = 1;
        while cell.wait() != 3 {
            times += 1;
        }
        judge.reached(if times == 1 { "both notes in one wake-up" } else { "the notes in two wake-ups" });
    });
}

/// A future that another thread completes.
fn future<S: Threads>(judge: Judge) {
    use std::task::{Poll, Waker};
    thread::<S>("waiter", move || {
        let slot = Arc::new(S::mutex("slot", (None::<u8>, None::<Waker>)));
        let other = slot.clone();
        thread::<S>("event thread", move || {
            let mut slot = S::lock(&other);
            slot.0 = Some(7);
            let waker = slot.1.take();
            drop(slot);
            if let Some(waker) = waker {
                waker.wake();
            }
        });
        let mut looks = 0;
        let future = std::future::poll_fn(|context| {
            looks += 1;
            let mut slot = S::lock(&slot);
            match slot.0.take() {
                Some(value) => Poll::Ready(value),
                None => {
                    slot.1 = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        });
        let value = block_on::<S, _>(&Tasks::default(), future);
        judge.holds(value == 7, SEEN, || format!("the future is ready with {value} instead of 7"));
        judge.reached(if looks == 1 { "ready at the first look" } else { "ready at a later look" });
    });
}

/// Somebody waits for what never comes, and is interrupted before, while or after he goes to sleep.
fn interrupted<S: Threads>(judge: Judge) {
    thread::<S>("waiter", move || {
        let interrupt = Arc::new(Interrupt::<S>::new());
        let other = interrupt.clone();
        thread::<S>("interrupter", move || other.interrupt());
        let ended = block_on_or(&Tasks::default(), &interrupt, std::future::pending::<()>());
        judge.holds(ended.is_err(), SEEN, || "what never comes has come".into());
    });
}

/// A thread acquires once, looks, and releases.
fn own<O: Owns>(judge: Judge, owners: &O, granted: usize) {
    owners.hold(granted);
    let held = owners.anybody();
    judge.holds(held, TOLD, || format!("owner {granted} holds, and nobody is said to hold"));
    let released = owners.release();
    judge.holds(released == Some((granted, 0)), OWN, || {
        format!("owner {granted} releases what it has acquired once, and is told {}", words(released))
    });
    owners.forget();
}

fn words(released: Option<(usize, usize)>) -> String {
    match released {
        None => "that it owns nothing".into(),
        Some((granted, count)) => format!("that it was granted {granted} and holds {count} times"),
    }
}

/// Two threads hold each their own, as the readers of a lock do; neither sees the other's.
fn two_owners<S: Threads, O: Owns>(judge: Judge) {
    let owners = Arc::new(O::make());
    let threads = [1, 2].map(|number| {
        let owners = owners.clone();
        thread::<S>(["owner 1", "owner 2"][number - 1], move || {
            own(judge, &*owners, number);
            judge.reached(if owners.anybody() { "the other one holds too" } else { "nobody holds any more" });
        })
    });
    threads.into_iter().for_each(S::join);
}

/// The service grants the lock to the next as soon as it is given back, and only then the first owner forgets it.
fn handed_over<S: Threads, O: Owns>(judge: Judge) {
    let owners = Arc::new(O::make());
    let free = Arc::new(S::flag("lock at the service", false));
    let (first, gives_back) = (owners.clone(), free.clone());
    let owner = thread::<S>("owner 1", move || {
        first.hold(1);
        let released = first.release();
        judge.holds(released == Some((1, 0)), OWN, || format!("owner 1 is told {}", words(released)));
        S::set(&gives_back, true, Release);
        first.forget();
    });
    let next = thread::<S>("owner 2", move || {
        if S::is_set(&free, Acquire) {
            judge.reached("given back, and granted to the next");
            owners.hold(2);
            let again = owners.again();
            judge.holds(again, OWN, || "owner 2 holds, and is not let in again".into());
            let count = owners.count();
            judge.holds(count == 2, OWN, || format!("owner 2 has acquired twice, and holds {count} times"));
        }
    });
    S::join(owner);
    S::join(next);
}

/// Who is told that the lock is held sees what its owner did before.
fn looked_at<S: Threads, O: Owns>(judge: Judge) {
    let owners = Arc::new(O::make());
    let done = Arc::new(S::word("work", 0));
    let (mine, work) = (owners.clone(), done.clone());
    let owner = thread::<S>("owner", move || {
        S::store(&work, 1, Relaxed);
        mine.hold(1);
    });
    if owners.anybody() {
        judge.reached("seen to be held");
        let seen = S::load(&done, Relaxed);
        judge.holds(seen == 1, SEEN, || "the lock is seen to be held, and not what came before".into());
    } else {
        judge.reached("seen to be free");
    }
    S::join(owner);
}

/// An owner re-enters while another thread asks, tries to re-enter and to release.
fn counter<S: Threads, O: Owns>(judge: Judge) {
    let owners = Arc::new(O::make());
    let mine = owners.clone();
    let owner = thread::<S>("owner", move || {
        mine.hold(1);
        let again = mine.again();
        judge.holds(again && mine.count() == 2, OWN, || "the owner has acquired twice, and does not hold twice".into());
        for left in [1, 0] {
            let released = mine.release();
            judge.holds(released == Some((1, left)), OWN, || format!("the owner is told {}", words(released)));
        }
        mine.forget();
    });
    let other = thread::<S>("other", move || {
        judge.reached(if owners.anybody() { "seen to be held" } else { "seen to be free" });
        let again = owners.again();
        judge.holds(!again, OWN, || "another thread re-enters what it does not hold".into());
        let released = owners.release();
        judge.holds(released.is_none(), OWN, || format!("another thread releases and is told {}", words(released)));
    });
    S::join(owner);
    S::join(other);
}

/// Whoever closes and finds nobody inside has seen all that was done, and nothing is done any more.
fn late_callback<S: Threads, G: Closes>(judge: Judge) {
    let gate = Arc::new(G::make());
    let done = Arc::new(S::word("work", 0));
    let (other, work) = (gate.clone(), done.clone());
    let callback = thread::<S>("callback", move || {
        if other.enter() {
            judge.reached("the callback is let in");
            S::store(&work, 1, Relaxed);
            other.leave();
        } else {
            judge.reached("the callback is turned away");
        }
    });
    let inside = gate.close();
    if inside {
        judge.reached("closed with somebody inside");
    }
    let seen = S::load(&done, Relaxed);
    S::join(callback);
    let at_last = S::load(&done, Relaxed);
    judge.holds(inside || seen == at_last, NOTHING_LATE, || {
        format!("closed with nobody inside, and yet: work was {seen} and is {at_last}")
    });
}

/// Who sees the new session sees what came before it.
fn published<S: Threads>(judge: Judge) {
    publish::<S>(judge, [Release, Acquire]);
}

fn published_relaxed<S: Threads>(judge: Judge) {
    publish::<S>(judge, [Relaxed, Relaxed]);
}

fn publish<S: Threads>(judge: Judge, [writes, reads]: [std::sync::atomic::Ordering; 2]) {
    let session = Arc::new(S::word("session", 1));
    let tree = Arc::new(S::word("node of the session", 0));
    let (new, made) = (session.clone(), tree.clone());
    let connects = thread::<S>("connects", move || {
        S::store(&made, 1, Relaxed);
        S::store(&new, 2, writes);
    });
    if S::load(&session, reads) == 2 {
        judge.reached("the new session is seen");
        let made = S::load(&tree, Relaxed);
        judge.holds(made == 1, SEEN, || "the session is there, and what it made is not".into());
    } else {
        judge.reached("the old session is seen");
    }
    S::join(connects);
}
