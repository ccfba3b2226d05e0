//! The small client trait that recipes are written against.
//!
//! A production client implements it by delegation; the simulator implements it in `overtake-sim`.
//! Error codes, create modes and watch rules are ZooKeeper's own (3.8).

use std::fmt;
use std::future::Future;

/// How a node is created (`CreateMode` of ZooKeeper 3.8, without the TTL modes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CreateMode {
    /// Lives until it is deleted.
    Persistent,
    /// Persistent; the server appends the parent's ten-digit counter to the name.
    PersistentSequential,
    /// Dies with the session that made it.
    Ephemeral,
    /// Ephemeral; the server appends the parent's ten-digit counter to the name.
    EphemeralSequential,
    /// Persistent; swept by the server some time after its last child is gone.
    Container,
}

impl CreateMode {
    /// Whether the server appends the counter.
    pub fn is_sequential(self) -> bool {
        matches!(self, Self::PersistentSequential | Self::EphemeralSequential)
    }

    /// Whether the node dies with its session.
    pub fn is_ephemeral(self) -> bool {
        matches!(self, Self::Ephemeral | Self::EphemeralSequential)
    }
}

/// Why a call failed. The names are ZooKeeper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ZkError {
    /// The connection broke: the call may or may not have taken effect. Made by the client.
    ConnectionLoss,
    /// The session is over, and with it every ephemeral node and watch of it.
    SessionExpired,
    /// The session is served by another connection now.
    SessionMoved,
    /// The node (or, for a create, its parent) does not exist.
    NoNode,
    /// The node exists already.
    NodeExists,
    /// The expected version is not the node's version.
    BadVersion,
    /// The node has children.
    NotEmpty,
    /// The parent is ephemeral.
    NoChildrenForEphemerals,
    /// The path or another argument is malformed.
    BadArguments,
    /// The access control list is empty or malformed.
    InvalidAcl,
    /// The permission is missing.
    NoAuth,
    /// There is no watch to remove.
    NoWatcher,
    /// A member of a multi behind the one that failed.
    RuntimeInconsistency,
    /// The operation is not offered.
    Unimplemented,
}

impl fmt::Display for ZkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl std::error::Error for ZkError {}

/// What a node knows about itself (`Stat`). `cversion` counts creates and deletes of children; it is
/// *not* the counter behind sequential names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stat {
    /// Transaction that created the node: grows for ever, also across incarnations.
    pub czxid: i64,
    /// Transaction that last changed the data.
    pub mzxid: i64,
    /// Transaction that last created or deleted a direct child.
    pub pzxid: i64,
    /// Number of data changes in this incarnation; 32 bits, wraps.
    pub version: i32,
    /// Number of creates plus deletes of direct children.
    pub cversion: i32,
    /// Number of changes of the access control list.
    pub aversion: i32,
    /// The owning session of an ephemeral node, 0 for every other node.
    pub ephemeral_owner: i64,
    /// Length of the data in bytes.
    pub data_length: i32,
    /// Number of direct children.
    pub num_children: i32,
}

/// What happened to a watched node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EventKind {
    /// It came into being.
    Created,
    /// It is gone.
    Deleted,
    /// Its data was set, perhaps to equal bytes.
    DataChanged,
    /// A direct child came or went.
    ChildrenChanged,
}

/// What the client library knows of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SessionState {
    /// Connected, for the first time or again.
    Connected,
    /// Disconnected: nothing is known about the session any more.
    Disconnected,
    /// Expired: session, ephemeral nodes and watches are gone; the handle is dead.
    Expired,
}

/// What a [`Watch`] reports. Session changes go to every watch and do not use it up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchedEvent {
    /// Something happened to the watched node.
    Node {
        /// What happened.
        kind: EventKind,
        /// The full path of the node that it happened to.
        path: String,
    },
    /// The state of the connection changed.
    Session(SessionState),
}

/// A registered watch. Dropping it stops the notifications from being seen; it does not unregister
/// the watch at the server.
pub trait Watch {
    /// Waits for the next event. A one-shot watch never yields a second node event.
    fn next(&mut self) -> impl Future<Output = WatchedEvent>;
}

/// How far a watch set by [`ZooKeeper::add_watch`] reaches (`AddWatchMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AddWatchMode {
    /// The node's data and its list of children, again and again.
    Persistent,
    /// The node and everything below it, without `ChildrenChanged`.
    PersistentRecursive,
}

/// A member of a [`ZooKeeper::multi`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Create a node.
    Create {
        /// Full path, without the counter.
        path: String,
        /// Data.
        data: Vec<u8>,
        /// Mode.
        mode: CreateMode,
    },
    /// Delete a node; `None` takes any version.
    Delete {
        /// Full path.
        path: String,
        /// Expected data version.
        version: Option<i32>,
    },
    /// Set a node's data; `None` takes any version.
    SetData {
        /// Full path.
        path: String,
        /// Data.
        data: Vec<u8>,
        /// Expected data version.
        version: Option<i32>,
    },
    /// Check that a node exists and has the version; `None` takes any version.
    Check {
        /// Full path.
        path: String,
        /// Expected data version.
        version: Option<i32>,
    },
}

/// What a member of a successful [`ZooKeeper::multi`] gave.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OpResult {
    /// The path of the created node, with its counter.
    Created(String),
    /// The Stat after the data was set.
    Set(Stat),
    /// A delete or a check succeeded.
    Done,
}

/// A connection to ZooKeeper with one session. Requests of one session take effect in the order in
/// which they are *made* (the call, not the first poll of its future, sends the request).
pub trait ZooKeeper: Clone {
    /// The kind of watch that this client hands out.
    type Watch: Watch;

    /// Creates a node and answers its path, which carries the counter for sequential modes.
    fn create(&self, path: &str, data: &[u8], mode: CreateMode) -> impl Future<Output = Result<String, ZkError>>;
    /// Deletes a node; `None` takes any version.
    fn delete(&self, path: &str, version: Option<i32>) -> impl Future<Output = Result<(), ZkError>>;
    /// Sets a node's data; `None` takes any version.
    fn set_data(&self, path: &str, data: &[u8], version: Option<i32>) -> impl Future<Output = Result<Stat, ZkError>>;
    /// Reads a node.
    fn get_data(&self, path: &str) -> impl Future<Output = Result<(Vec<u8>, Stat), ZkError>>;
    /// Reads a node and watches its data and its deletion. Sets no watch when the node is missing.
    fn watch_data(&self, path: &str) -> impl Future<Output = Result<(Vec<u8>, Stat, Self::Watch), ZkError>>;
    /// Looks whether a node exists.
    fn exists(&self, path: &str) -> impl Future<Output = Result<Option<Stat>, ZkError>>;
    /// Looks whether a node exists and watches it, **also when it is missing**.
    fn watch_exists(&self, path: &str) -> impl Future<Output = Result<(Option<Stat>, Self::Watch), ZkError>>;
    /// The names (not paths) of the direct children, in no particular order.
    fn children(&self, path: &str) -> impl Future<Output = Result<Vec<String>, ZkError>>;
    /// As [`children`](Self::children), and watches the list.
    fn watch_children(&self, path: &str) -> impl Future<Output = Result<(Vec<String>, Self::Watch), ZkError>>;
    /// Runs all members or none. The error is that of the first member that fails.
    fn multi(&self, ops: Vec<Op>) -> impl Future<Output = Result<Vec<OpResult>, ZkError>>;
    /// Waits until the server has applied all that the leader had proposed.
    fn sync(&self, path: &str) -> impl Future<Output = Result<(), ZkError>>;
    /// Sets a watch that is not used up by its events.
    fn add_watch(&self, path: &str, mode: AddWatchMode) -> impl Future<Output = Result<Self::Watch, ZkError>>;
    /// Removes every watch of this session on the path. `NoWatcher` when there is none.
    fn remove_watches(&self, path: &str) -> impl Future<Output = Result<(), ZkError>>;
    /// The id of the current session, 0 when there is none.
    fn session_id(&self) -> i64;
    /// The session changes from now on (what Java's default watcher is told).
    fn session_events(&self) -> Self::Watch;
    /// Closes the session: its ephemeral nodes go. The handle is dead until [`connect`](Self::connect).
    fn close(&self) -> impl Future<Output = Result<(), ZkError>>;
    /// Opens a new session after the last one was closed or expired.
    fn connect(&self) -> impl Future<Output = Result<(), ZkError>>;
}
