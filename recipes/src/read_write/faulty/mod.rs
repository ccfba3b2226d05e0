//! The read-write lock, spoilt: each variant differs from the recipe in the one thing that its name says.
//!
//! Two more are public reports: a writer that takes the departure of one reader for its turn (O04,
//! <https://github.com/zk-ruby/zk/commit/fdab2ba>), and a reader that waits for a writer behind itself (O58,
//! <https://github.com/python-zk/kazoo/issues/649>).

/// What every variant in a tuple struct over its queue has.
macro_rules! in_queue {
    () => {
        fn new(env: E, parent: &str) -> Self {
            Self(Queue::new(env, parent))
        }

        fn queue(&self) -> &Queue<E> {
            &self.0
        }
    };
}

pub mod downgrade_at_the_end;
pub mod reader_follows_reader;
pub mod reader_wakes_as_owner;
pub mod reader_watches_first_writer;
pub mod reader_watches_neighbour;
pub mod writer_minds_writers_only;

pub use downgrade_at_the_end::DowngradeAtTheEnd;
pub use reader_follows_reader::ReaderFollowsReader;
pub use reader_wakes_as_owner::ReaderWakesAsOwner;
pub use reader_watches_first_writer::ReaderWatchesFirstWriter;
pub use reader_watches_neighbour::ReaderWatchesNeighbour;
pub use writer_minds_writers_only::WriterMindsWritersOnly;
