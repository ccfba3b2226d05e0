//! What Curator's recipes do for threads, rule by rule (`semantics §5.1` to `§5.7`).

mod faults;
mod latch;
mod mutex;
mod read_write;
mod semaphore;
mod sessions;
