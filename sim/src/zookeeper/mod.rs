//! ZooKeeper 3.8 with one server, as a plain deterministic value.
mod protocol;

pub use protocol::{
    Failure, MultiResult, Notification, Reply, Request, Response, Stat, WatchTable, Write,
};
