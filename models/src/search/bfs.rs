//! Breadth first, level by level, on all threads, with fingerprints only.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, RwLock};

use super::table::{Table, fingerprint};
use super::{Limits, Seen, Stopped, Watch};
use crate::space::{Space, Worker};

/// States that a thread takes from the frontier at a time.
const CHUNK: usize = 512;
/// States whose successors are looked up together.
const BATCH: usize = 64;

/// What the threads share.
struct Shared<'a, S: Space> {
    space: &'a S,
    watch: Watch<'a>,
    table: RwLock<Table>,
    level: RwLock<Vec<Vec<u32>>>,
    next: Mutex<Vec<Vec<u32>>>,
    taken: AtomicUsize,
    seen: Mutex<Seen>,
    barrier: Barrier,
    own_bytes: AtomicUsize,
}

/// Visits every state once and judges the properties in it. Keeps 8 bytes a state and the frontier.
pub fn breadth_first<S: Space>(space: &S, limits: &Limits) -> Seen {
    let threads = limits.threads.max(1);
    let shared = Shared {
        space,
        watch: Watch::new(limits),
        table: RwLock::new(Table::new()),
        level: RwLock::default(),
        next: Mutex::default(),
        taken: AtomicUsize::new(0),
        seen: Mutex::default(),
        barrier: Barrier::new(threads),
        own_bytes: AtomicUsize::new(0),
    };
    std::thread::scope(|scope| {
        for thread in 1..threads {
            let shared = &shared;
            scope.spawn(move || work(shared, thread));
        }
        work(&shared, 0);
    });
    let mut seen = shared.seen.into_inner().expect("seen");
    seen.states = shared.table.into_inner().expect("table").len();
    seen.stopped = shared.watch.stopped();
    seen.time = shared.watch.start.elapsed();
    seen
}

fn work<S: Space>(shared: &Shared<'_, S>, thread: usize) {
    let mut worker = shared.space.worker();
    let width = shared.space.width();
    if thread == 0 {
        let table = shared.table.read().expect("table");
        let mut first = Vec::new();
        for row in worker.initial() {
            if table.insert(fingerprint(&row)) {
                table.count(1);
                first.extend(row);
            }
        }
        *shared.level.write().expect("level") = vec![first];
    }
    let mut depth = 0;
    loop {
        shared.barrier.wait();
        let level = shared.level.read().expect("level");
        let states: usize = level.iter().map(|segment| segment.len() / width).sum();
        if states == 0 || shared.watch.stopped().is_some() {
            return;
        }
        depth += 1;
        let next = expand_level(shared, &mut worker, &level, width);
        drop(level);
        shared.next.lock().expect("next").push(next);
        shared.own_bytes.fetch_add(worker.bytes(), Ordering::Relaxed);
        if shared.barrier.wait().is_leader() {
            turn_level(shared, width, depth, states);
        }
    }
}

/// Expands chunks of the level until none is left; answers the new states that this thread found.
fn expand_level<S: Space>(
    shared: &Shared<'_, S>,
    worker: &mut S::Worker<'_>,
    level: &[Vec<u32>],
    width: usize,
) -> Vec<u32> {
    let chunk_words = CHUNK * width;
    let counts: Vec<usize> = level.iter().map(|s| s.len().div_ceil(chunk_words)).collect();
    let mut next: Vec<u32> = Vec::new();
    let mut mine = Seen::default();
    let mut rows: Vec<u32> = Vec::new();
    let mut prints: Vec<u64> = Vec::new();
    'chunks: loop {
        let mut at = shared.taken.fetch_add(1, Ordering::Relaxed);
        let mut segment = 0;
        while segment < counts.len() && at >= counts[segment] {
            at -= counts[segment];
            segment += 1;
        }
        if segment == counts.len() || shared.watch.check(shared.space.error().is_some()) {
            break;
        }
        let words = &level[segment];
        let chunk = &words[at * chunk_words..words.len().min((at + 1) * chunk_words)];
        for batch in chunk.chunks(BATCH * width) {
            (rows.clear(), prints.clear());
            if !make_room(shared, batch.len() / width * 64) {
                break 'chunks;
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
        }
        let wanted = !shared.watch.limits.every_property;
        if wanted && mine.violated != 0 {
            shared.watch.stop(Stopped::Violation);
        }
    }
    let mut seen = shared.seen.lock().expect("seen");
    seen.transitions += mine.transitions;
    seen.violated |= mine.violated;
    seen.reached |= mine.reached;
    seen.notified = seen.notified.max(mine.notified);
    next
}

/// Sees to it that the table takes that many more; false when memory does not allow it.
fn make_room<S: Space>(shared: &Shared<'_, S>, more: usize) -> bool {
    if !shared.table.read().expect("table").must_grow(more) {
        return true;
    }
    let mut table = shared.table.write().expect("table");
    while table.must_grow(more) {
        if table.bytes_to_grow() > shared.watch.limits.memory {
            shared.watch.stop(Stopped::Memory);
            return false;
        }
        table.grow();
    }
    true
}

/// Between two levels, on one thread: the new states become the level.
fn turn_level<S: Space>(shared: &Shared<'_, S>, width: usize, depth: usize, states: usize) {
    let mut level = shared.level.write().expect("level");
    let next = std::mem::take(&mut *shared.next.lock().expect("next"));
    let table = shared.table.read().expect("table");
    let new: usize = next.iter().map(|s| s.len() / width).sum();
    let frontier_bytes = level.iter().chain(&next).map(|s| s.capacity() * 4).sum::<usize>();
    let bytes = table.bytes() + frontier_bytes;
    let own = shared.own_bytes.swap(0, Ordering::Relaxed);
    *level = next;
    shared.taken.store(0, Ordering::Relaxed);
    let progress = &shared.watch.limits.progress;
    progress.states.store(table.len(), Ordering::Relaxed);
    progress.depth.store(depth, Ordering::Relaxed);
    progress.frontier.store(new, Ordering::Relaxed);
    progress.bytes.store(bytes + own, Ordering::Relaxed);
    if bytes + own > shared.watch.limits.memory {
        shared.watch.stop(Stopped::Memory);
    }
    let mut seen = shared.seen.lock().expect("seen");
    seen.depth = depth;
    seen.bytes = seen.bytes.max(bytes);
    seen.frontier = seen.frontier.max(states + new);
}
