//! Breadth first, level by level, on all threads, with fingerprints only.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, RwLock};

use super::table::{Table, fingerprint};
use super::{Limits, Seen, Stopped, Watch};
use crate::space::{Space, Worker};

/// States in one piece of the frontier.
const PIECE: usize = 4096;
/// States whose successors are looked up together.
const BATCH: usize = 64;

/// What the threads share.
struct Shared<'a, S: Space> {
    space: &'a S,
    watch: Watch<'a>,
    table: RwLock<Table>,
    /// The states of this level that nobody has taken yet, in pieces, and those of the next.
    level: Mutex<Vec<Vec<u32>>>,
    next: Mutex<Vec<Vec<u32>>>,
    /// Bytes of all pieces that hold states, at the moment and at most.
    pieces: AtomicUsize,
    most_pieces: AtomicUsize,
    seen: Mutex<Seen>,
    barrier: Barrier,
    own_bytes: AtomicUsize,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// Visits every state once and judges the properties in it. Keeps 8 bytes a state and the frontier.
pub fn breadth_first<S: Space>(space: &S, limits: &Limits) -> Seen {
    let threads = limits.threads.max(1);
    let shared = Shared {
        space,
        watch: Watch::new(limits),
        table: RwLock::new(Table::new()),
        level: Mutex::default(),
        next: Mutex::default(),
        pieces: AtomicUsize::new(0),
        most_pieces: AtomicUsize::new(0),
        seen: Mutex::default(),
        barrier: Barrier::new(threads),
        own_bytes: AtomicUsize::new(0),
        panic: Mutex::default(),
    };
    start(&shared);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| work(&shared));
        }
        work(&shared);
    });
    if let Some(panic) = shared.panic.into_inner().expect("panic") {
        resume_unwind(panic);
    }
    let table = shared.table.into_inner().expect("table");
    let mut seen = shared.seen.into_inner().expect("seen");
    seen.states = table.states();
    seen.bytes = table.bytes() + shared.most_pieces.into_inner();
    seen.stopped = shared.watch.stopped();
    seen.time = shared.watch.start.elapsed();
    seen
}

fn start<S: Space>(shared: &Shared<'_, S>) {
    let table = shared.table.read().expect("table");
    let mut first = Vec::new();
    for row in shared.space.worker().initial() {
        if table.insert(fingerprint(&row)) {
            table.count(1);
            first.extend(row);
        }
    }
    shared.pieces.fetch_add(first.len() * 4, Ordering::Relaxed);
    shared.level.lock().expect("level").push(first);
}

fn work<S: Space>(shared: &Shared<'_, S>) {
    let mut worker = shared.space.worker();
    let width = shared.space.width();
    let mut spare = Vec::new();
    loop {
        // A panic must not leave the other threads waiting at the barrier: it ends the search, and is raised again when all
        // have ended.
        let level = AssertUnwindSafe(|| expand_level(shared, &mut worker, width, &mut spare));
        if let Err(panic) = catch_unwind(level) {
            shared.watch.stop(Stopped::Error);
            shared.panic.lock().expect("panic").get_or_insert(panic);
        }
        shared.own_bytes.fetch_add(worker.bytes(), Ordering::Relaxed);
        if shared.barrier.wait().is_leader() {
            turn_level(shared, width);
        }
        shared.barrier.wait();
        if shared.level.lock().expect("level").is_empty() || shared.watch.stopped().is_some() {
            return;
        }
        shared.barrier.wait();
    }
}

/// Expands pieces of the level until none is left.
fn expand_level<S: Space>(shared: &Shared<'_, S>, worker: &mut S::Worker<'_>, width: usize, spare: &mut Vec<Vec<u32>>) {
    let mut next: Vec<u32> = Vec::new();
    let mut mine = Seen::default();
    let mut rows: Vec<u32> = Vec::new();
    let mut prints: Vec<u64> = Vec::new();
    'pieces: while !shared.watch.check(shared.space.error().is_some()) {
        let Some(mut piece) = shared.level.lock().expect("level").pop() else { break };
        for batch in piece.chunks(BATCH * width) {
            rows.clear();
            prints.clear();
            let stopped = shared.watch.check(shared.space.error().is_some());
            if stopped || !make_room(shared, batch.len() / width * 64) {
                break 'pieces;
            }
            worker.prepare(batch);
            let table = shared.table.read().expect("table");
            for row in batch.chunks_exact(width) {
                let expanded = worker.expand(row, |_, notified, next| {
                    let print = fingerprint(next);
                    table.touch(print);
                    prints.push(print);
                    rows.extend_from_slice(next);
                    mine.notified = mine.notified.max(notified);
                });
                mine.violated |= expanded.violated;
                mine.reached |= expanded.reached;
            }
            mine.transitions += prints.len();
            let mut inserted = 0;
            for (i, &print) in prints.iter().enumerate() {
                if table.insert(print) {
                    inserted += 1;
                    next.extend_from_slice(&rows[i * width..(i + 1) * width]);
                }
            }
            table.count(inserted);
            if next.len() >= PIECE * width {
                hand_in(shared, &mut next, spare.pop().unwrap_or_default());
            }
        }
        shared.pieces.fetch_sub(piece.len() * 4, Ordering::Relaxed);
        if spare.len() < 4 {
            piece.clear();
            spare.push(piece);
        }
        if !shared.watch.limits.every_property && mine.violated != 0 {
            shared.watch.stop(Stopped::Violation);
        }
    }
    if !next.is_empty() {
        hand_in(shared, &mut next, Vec::new());
    }
    let mut seen = shared.seen.lock().expect("seen");
    seen.transitions += mine.transitions;
    seen.violated |= mine.violated;
    seen.reached |= mine.reached;
    seen.notified = seen.notified.max(mine.notified);
}

/// Hands a piece of the next level in.
fn hand_in<S: Space>(shared: &Shared<'_, S>, next: &mut Vec<u32>, empty: Vec<u32>) {
    let piece = std::mem::replace(next, empty);
    let bytes = shared.pieces.fetch_add(piece.len() * 4, Ordering::Relaxed) + piece.len() * 4;
    shared.most_pieces.fetch_max(bytes, Ordering::Relaxed);
    shared.next.lock().expect("next").push(piece);
}

/// Sees to it that the table takes that many more; false when memory does not allow it.
fn make_room<S: Space>(shared: &Shared<'_, S>, more: usize) -> bool {
    let values = shared.space.bytes() + shared.pieces.load(Ordering::Relaxed);
    if values > shared.watch.limits.memory {
        shared.watch.stop(Stopped::Memory);
        return false;
    }
    {
        let table = shared.table.read().expect("table");
        shared.watch.counts(table.states());
        if shared.watch.stopped().is_some() {
            return false;
        }
        if !table.must_grow(more) {
            return true;
        }
    }
    let mut table = shared.table.write().expect("table");
    while table.must_grow(more) {
        if values + table.bytes_to_grow() > shared.watch.limits.memory {
            shared.watch.stop(Stopped::Memory);
            return false;
        }
        table.grow();
    }
    true
}

/// Between two levels, on one thread: the new states become the level.
fn turn_level<S: Space>(shared: &Shared<'_, S>, width: usize) {
    let next = std::mem::take(&mut *shared.next.lock().expect("next"));
    let new: usize = next.iter().map(|piece| piece.len() / width).sum();
    *shared.level.lock().expect("level") = next;
    let table = shared.table.read().expect("table");
    let own = shared.own_bytes.swap(0, Ordering::Relaxed);
    let bytes = table.bytes() + shared.pieces.load(Ordering::Relaxed) + own + shared.space.bytes();
    let mut seen = shared.seen.lock().expect("seen");
    seen.depth += 1;
    seen.frontier = seen.frontier.max(new);
    let progress = &shared.watch.limits.progress;
    progress.states.store(table.states(), Ordering::Relaxed);
    progress.depth.store(seen.depth, Ordering::Relaxed);
    progress.frontier.store(new, Ordering::Relaxed);
    progress.bytes.store(bytes, Ordering::Relaxed);
    if bytes > shared.watch.limits.memory {
        shared.watch.stop(Stopped::Memory);
    }
}
