//! What does not fit into the matrix: re-entry, two objects, retries that run out, and the slips of ZooKeeper's own lock
//! one by one.

use overtake_recipes::lock::faulty::{
    CuratorForgetsItsNode, KazooKeepsItsNode, WriteLockBySession, WriteLockWithBareName, WriteLockWithPlainUnlock,
    WriteLockWithoutRelist,
};
use overtake_recipes::lock::{CheckedCuratorMutex, CheckedKazooLock, CuratorMutex, KazooLock, Lock, WriteLock};
use overtake_sim::program::Context;

use super::lock_matrix_programs::{Make, fallible, once, reenter, timed, two_objects, two_objects_timed};
use super::locks::{failing_call_properties, lock_properties};
use super::programs::LOCK;
use crate::property::*;
use crate::scenario::{Scenario, scenario};

/// Re-entry of a holder, in the session of the grant or in another (Z150), and two objects in one thread (Z154).
fn reentry() -> Vec<Scenario> {
    fn entering<L: Lock<Context> + 'static>(name: &str, make: Make<L>) -> Scenario {
        scenario(name)
            .about(
                "A holder acquires the lock again inside its section, as a re-entrant lock allows. Its session may end in \
                 between, and the library opens a new one.",
            )
            .source("Z150")
            .node(LOCK)
            .clients(2, move |ctx| reenter(ctx, make))
            .hit_while("holds")
            .properties(lock_properties())
    }
    vec![
        entering("Curator mutex, re-entry", CuratorMutex::new),
        entering("Curator mutex, re-entry after session loss", CuratorMutex::new)
            .expiries(1)
            .breaks("grant rests on a live node of the own session")
            .fixed_by("Curator mutex checked, re-entry after session loss"),
        entering("Curator mutex checked, re-entry after session loss", CheckedCuratorMutex::new).expiries(1),
        scenario("Curator mutex, two objects in one thread")
            .about("A thread holds by one object and acquires by another on the same path: it waits for itself.")
            .source("Z154, Netflix/curator#75")
            .node(LOCK)
            .clients(1, |ctx| two_objects(ctx, CuratorMutex::new))
            .properties([no_wait_without_wake_up(), objects_exclude_each_other(), no_program_fails(), somebody_holds()])
            .breaks("no wait without a wake-up")
            .fixed_by("Curator mutex, two objects in one thread, timed"),
        scenario("Curator mutex, two objects in one thread, timed")
            .about("As above with a time-out: the second object does not get the lock, and leaves nothing behind.")
            .source("Z154")
            .node(LOCK)
            .clients(1, |ctx| two_objects_timed(ctx, CuratorMutex::new))
            .properties(lock_properties())
            .properties([objects_exclude_each_other(), somebody_is(&["refused"], "the second object is refused")]),
    ]
}

/// Calls that fail for good: the error goes to the caller, the node goes away all the same.
fn failures() -> Vec<Scenario> {
    fn failing<L: Lock<Context> + 'static>(name: &str, source: &str, make: Make<L>) -> Scenario {
        scenario(name)
            .about(
                "The client retries nothing. When its connection breaks the call fails, and the node, of which the client may \
                 not even know, is taken away in the background.",
            )
            .source(source)
            .node(LOCK)
            .clients(2, move |ctx| fallible(ctx, make))
            .disconnects(1)
            .properties(lock_properties())
            .properties(failing_call_properties())
    }
    vec![
        failing("Curator mutex without retries", "semantics §5.1, CURATOR-45", CuratorMutex::without_retries)
            .property(somebody_is(&["release threw"], "a release throws")),
        failing("Curator mutex that forgets its node", "CURATOR-45, CURATOR-79", CuratorForgetsItsNode::new)
            .breaks("failed calls leave nothing")
            .fixed_by("Curator mutex without retries"),
        scenario("Curator mutex without retries, release with the connection cut")
            .about(
                "The connection breaks while the holder releases. release() throws, the background deletes the node after \
                 reconnecting, and the next waiter is granted, once.",
            )
            .source("Z153")
            .node(LOCK)
            .clients(2, |ctx| fallible(ctx, CuratorMutex::without_retries))
            .hit_while("releases")
            .disconnects(1)
            .properties(lock_properties())
            .property(somebody_is(&["release threw"], "a release throws")),
        scenario("kazoo lock that keeps its node, timed acquire")
            .about("A wait times out, the caller is told that it has not got the lock, and its node stays in the queue.")
            .source("python-zk/kazoo#732")
            .node(LOCK)
            .clients(2, |ctx| timed(ctx, KazooKeepsItsNode::new))
            .properties(lock_properties())
            .properties(failing_call_properties())
            .breaks("failed calls leave nothing")
            .fixed_by("kazoo lock, timed acquire"),
    ]
}

/// The parent is swept away, or is not there at all (Z160).
fn parents() -> Vec<Scenario> {
    fn swept<L: Lock<Context> + 'static>(name: &str, make: Make<L>) -> Scenario {
        scenario(name)
            .about("The parent is a container, and the server sweeps it whenever it is empty.")
            .source("Z160")
            .container(LOCK)
            .clients(2, move |ctx| once(ctx, make))
            .sweeps(2)
            .properties(lock_properties())
    }
    vec![
        swept("Curator mutex, container swept", CuratorMutex::new),
        swept("Curator mutex, no parent", CuratorMutex::new).without_nodes(),
        scenario("kazoo lock, no parent")
            .about("The parent is not there at first, and everybody makes it.")
            .source("semantics §5.9, parent path")
            .clients(2, |ctx| once(ctx, KazooLock::new))
            .properties(lock_properties()),
        scenario("kazoo lock checked, no parent")
            .about("The parent is not there at first, and everybody makes it.")
            .source("semantics §5.9, parent path")
            .clients(2, |ctx| once(ctx, CheckedKazooLock::new))
            .properties(lock_properties()),
    ]
}

/// The slips of ZooKeeper's own lock, each alone.
fn write_lock_slips() -> Vec<Scenario> {
    fn spoilt<L: Lock<Context> + 'static>(name: &str, about: &str, clients: usize, make: Make<L>) -> Scenario {
        scenario(name)
            .about(about)
            .source("semantics §5.9: ZooKeeper's own WriteLock")
            .node(LOCK)
            .clients(clients, move |ctx| once(ctx, make))
            .properties(lock_properties())
    }
    fn objects<L: Lock<Context> + 'static>(name: &str, make: Make<L>) -> Scenario {
        scenario(name)
            .about("One client acquires by one object and, with a time-out, by another object on the same path.")
            .source("semantics §5.9: the prefix holds only the session id")
            .node(LOCK)
            .clients(1, move |ctx| two_objects_timed(ctx, make))
            .properties(lock_properties())
            .property(objects_exclude_each_other())
    }
    vec![
        spoilt(
            "WriteLock without re-list",
            "The predecessor is gone before it is watched: exists() finds nothing, and nobody lists again.",
            2,
            WriteLockWithoutRelist::new,
        )
        .source("Z144")
        .breaks("no wait without a wake-up")
        .fixed_by("WriteLock repaired, no faults"),
        spoilt(
            "WriteLock with bare name",
            "The reply to the create is lost; the node is found again and kept by its bare name, behind its own path.",
            1,
            WriteLockWithBareName::new,
        )
        .source("Z145")
        .disconnects(1)
        .breaks("no wait without a wake-up")
        .fixed_by("WriteLock repaired, connection lost and found"),
        spoilt(
            "WriteLock with plain unlock",
            "The connection breaks while the holder unlocks; the delete is not repeated, and the node stays.",
            2,
            WriteLockWithPlainUnlock::new,
        )
        .hit_while("releases")
        .disconnects(1)
        .breaks("no wait without a wake-up")
        .fixed_by("WriteLock repaired, release with the connection cut"),
        objects("WriteLock by session", WriteLockBySession::new)
            .breaks("two lock objects exclude each other")
            .fixed_by("WriteLock repaired, two objects in one thread"),
        objects("WriteLock repaired, two objects in one thread", WriteLock::new)
            .property(somebody_is(&["refused"], "the second object is refused")),
    ]
}

/// The scenarios.
pub fn scenarios() -> Vec<Scenario> {
    [reentry(), failures(), parents(), write_lock_slips()].concat()
}
