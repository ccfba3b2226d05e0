//! Depth first on all threads: fingerprints and short stacks, nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, RwLock};

use super::table::{Table, fingerprint};
use super::{Limits, Seen, Stopped, Watch};
use crate::space::{Space, Worker};

/// A thread with this many states gives some away when another has none.
const SPARE: usize = 64;

struct Shared<'a, S: Space> {
    space: &'a S,
    watch: Watch<'a>,
    table: RwLock<Table>,
    pool: Mutex<Pool>,
    filled: Condvar,
    hungry: AtomicUsize,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Pool {
    rows: Vec<u32>,
    idle: usize,
    done: bool,
}

/// Visits every state once and judges the properties in it. Needs 8 bytes a state; depth is not known.
pub fn depth_first<S: Space>(space: &S, limits: &Limits) -> Seen {
    let threads = limits.threads.max(1);
    let shared = Shared {
        space,
        watch: Watch::new(limits),
        table: RwLock::new(Table::new()),
        pool: Mutex::default(),
        filled: Condvar::new(),
        hungry: AtomicUsize::new(0),
        seen: Mutex::default(),
    };
    for row in space.worker().initial() {
        let table = shared.table.read().expect("table");
        if table.insert(fingerprint(&row)) {
            table.count(1);
            shared.pool.lock().expect("pool").rows.extend(row);
        }
    }
    // A panic must not leave the other threads waiting for states: it ends the search, and is raised again afterwards.
    let panicked = Mutex::new(None);
    let guarded = || {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(&shared, threads))) {
            shared.watch.stop(Stopped::Error);
            finish(&shared);
            panicked.lock().expect("panic").get_or_insert(panic);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(guarded);
        }
        guarded();
    });
    if let Some(panic) = panicked.into_inner().expect("panic") {
        resume_unwind(panic);
    }
    let mut seen = shared.seen.into_inner().expect("seen");
    let table = shared.table.into_inner().expect("table");
    seen.states = table.states();
    seen.bytes += table.bytes();
    seen.stopped = shared.watch.stopped();
    seen.time = shared.watch.start.elapsed();
    seen
}

fn work<S: Space>(shared: &Shared<'_, S>, threads: usize) {
    let mut worker = shared.space.worker();
    let width = shared.space.width();
    let mut stack: Vec<u32> = Vec::new();
    let mut mine = Seen::default();
    let mut row = Vec::new();
    let mut visited = 0usize;
    loop {
        if stack.is_empty() && !take(shared, &mut stack, threads, width) {
            break;
        }
        visited += 1;
        if visited.is_multiple_of(64) && !between_batches(shared, &worker, &mut stack, width) {
            finish(shared);
            break;
        }
        let top = stack.len() - width;
        row.clear();
        row.extend_from_slice(&stack[top..]);
        stack.truncate(top);
        let table = shared.table.read().expect("table");
        let mut inserted = 0;
        let expanded = worker.expand(&row, |_, notified, next| {
            mine.transitions += 1;
            mine.notified = mine.notified.max(notified);
            if table.insert(fingerprint(next)) {
                inserted += 1;
                stack.extend_from_slice(next);
            }
        });
        table.count(inserted);
        let room = table.must_grow(1 << 12);
        drop(table);
        mine.frontier = mine.frontier.max(stack.len() / width);
        mine.violated |= expanded.violated;
        mine.reached |= expanded.reached;
        if mine.violated != 0 && !shared.watch.limits.every_property {
            shared.watch.stop(Stopped::Violation);
            finish(shared);
            break;
        }
        if room && !grow(shared) {
            finish(shared);
            break;
        }
    }
    let mut seen = shared.seen.lock().expect("seen");
    seen.transitions += mine.transitions;
    seen.violated |= mine.violated;
    seen.reached |= mine.reached;
    seen.notified = seen.notified.max(mine.notified);
    seen.frontier += mine.frontier;
    seen.bytes += mine.frontier * width * 4;
}

fn grow<S: Space>(shared: &Shared<'_, S>) -> bool {
    let mut table = shared.table.write().expect("table");
    if table.must_grow(1 << 12) {
        if table.bytes_to_grow() > shared.watch.limits.memory {
            shared.watch.stop(Stopped::Memory);
            return false;
        }
        table.grow();
    }
    true
}

/// Looks at the limits and feeds hungry threads; false when the search is to end.
fn between_batches<S: Space>(
    shared: &Shared<'_, S>,
    worker: &S::Worker<'_>,
    stack: &mut Vec<u32>,
    width: usize,
) -> bool {
    let table = shared.table.read().expect("table");
    shared.watch.counts(table.states());
    let bytes = table.bytes() + worker.bytes() + stack.capacity() * 4 + shared.space.bytes();
    let progress = &shared.watch.limits.progress;
    progress.states.store(table.states(), Ordering::Relaxed);
    progress.frontier.store(stack.len() / width, Ordering::Relaxed);
    progress.bytes.store(bytes, Ordering::Relaxed);
    drop(table);
    if bytes > shared.watch.limits.memory {
        shared.watch.stop(Stopped::Memory);
    }
    if shared.hungry.load(Ordering::Relaxed) > 0 && stack.len() > SPARE * width {
        let half = stack.len() / width / 2 * width;
        shared.pool.lock().expect("pool").rows.extend(stack.drain(..half));
        shared.filled.notify_all();
    }
    !shared.watch.check(shared.space.error().is_some())
}

/// Waits for states from other threads; false when there are no more.
fn take<S: Space>(shared: &Shared<'_, S>, stack: &mut Vec<u32>, threads: usize, width: usize) -> bool {
    let mut pool = shared.pool.lock().expect("pool");
    pool.idle += 1;
    shared.hungry.fetch_add(1, Ordering::Relaxed);
    let found = loop {
        if pool.done {
            break false;
        }
        if !pool.rows.is_empty() {
            let states = pool.rows.len() / width;
            let from = (states - states.div_ceil(threads)) * width;
            stack.extend(pool.rows.drain(from..));
            break true;
        }
        if pool.idle == threads {
            pool.done = true;
            shared.filled.notify_all();
            break false;
        }
        pool = shared.filled.wait(pool).expect("pool");
    };
    pool.idle -= 1;
    shared.hungry.fetch_sub(1, Ordering::Relaxed);
    found
}

fn finish<S: Space>(shared: &Shared<'_, S>) {
    shared.pool.lock().expect("pool").done = true;
    shared.filled.notify_all();
}
