//! Recipes on ZooKeeper as ordinary `async` Rust.
//!
//! The code here knows nothing of the checker: it sees the world through [`ZooKeeper`] and
//! [`Environment`] only, and runs in production with an implementation of the two.
pub mod barrier;
pub mod client;
pub mod double_barrier;
pub mod environment;
pub mod events;
pub mod fencing;
pub mod leader_election;
pub mod leader_latch;
pub mod lock;
pub mod names;
pub mod read_write;
pub mod resource;
pub mod retry;
pub mod semaphore;
pub mod store;
pub mod two_phase_commit;
pub mod work_queue;
pub mod zookeeper;

pub use environment::Environment;
pub use lock::{Acquired, Lock, LockError, ParentLock, PredecessorLock, fencing_token};
pub use resource::{FencedResource, Stale, Token};
pub use store::{DataEnvironment, StoreError, Value};
pub use zookeeper::{
    AddWatchMode, CreateMode, EventKind, Op, OpResult, SessionState, Stat, Watch, WatchedEvent, ZkError, ZooKeeper,
};
