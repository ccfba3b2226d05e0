//! Canaries for Miri and ThreadSanitizer: plain data handed over by a wake-up cell. With the cell it is clean; with the
//! relaxed twin it is a data race, and a tool that does not say so sees nothing at all. `.ci/sanitize` runs them.
// A data race takes an unsafe block; nothing else here needs one.
#![allow(unsafe_code, reason = "a data race takes one")]

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use overtake_threads::Std;
use overtake_threads::faulty::{HandOver, WakeRelaxed};
use overtake_threads::wake::WakeCell;

struct Handed<C> {
    cell: C,
    data: UnsafeCell<usize>,
    /// The post is over. Orders nothing.
    over: AtomicBool,
}

// Safety: the cell orders the one write before the one read, or that is what the tools are to find out.
unsafe impl<C: Sync> Sync for Handed<C> {}

/// The waiter looks only when the post is over: then it finds the flag set and does not sleep, and nothing but the flag
/// can order anything.
fn hand_over<C: HandOver>() {
    let handed = Arc::new(Handed { cell: C::make(), data: UnsafeCell::new(0), over: AtomicBool::new(false) });
    let other = handed.clone();
    let posts = std::thread::spawn(move || {
        // Safety: as said above.
        unsafe { *other.data.get() = 7 };
        other.cell.post(1);
        other.over.store(true, Relaxed);
    });
    while !handed.over.load(Relaxed) {
        std::thread::yield_now();
    }
    assert_eq!(handed.cell.wait(), 1);
    // Safety: as said above.
    let seen = unsafe { *handed.data.get() };
    posts.join().expect("it posts");
    println!("seen: {seen}");
}

#[test]
fn the_wake_up_cell_hands_over_plain_data() {
    hand_over::<WakeCell<Std>>();
}

#[test]
#[ignore = "a data race on purpose: .ci/sanitize runs it and expects Miri and ThreadSanitizer to say so"]
fn the_relaxed_twin_is_a_data_race() {
    hand_over::<WakeRelaxed<Std>>();
}
