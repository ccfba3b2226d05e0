//! Recipes on ZooKeeper as ordinary `async` Rust.
//!
//! The code here knows nothing of the checker: it sees the world through [`ZooKeeper`] and
//! [`Environment`] only, and runs in production with an implementation of the two.
pub mod environment;
pub mod zookeeper;

pub use environment::Environment;
pub use zookeeper::{
    AddWatchMode, CreateMode, EventKind, Op, OpResult, SessionState, Stat, Watch, WatchedEvent,
    ZkError, ZooKeeper,
};
