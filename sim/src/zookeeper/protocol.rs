//! What goes over the wire between a client and ZooKeeper, with names kept apart.

use overtake_recipes::{AddWatchMode, CreateMode, EventKind, ZkError};

use crate::names::{Name, Names, Text, Who};

/// A node's Stat, as the server keeps it. Zxids are 0 where they are not tracked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stat {
    /// Transaction of the create.
    pub czxid: u32,
    /// Transaction of the last change of data.
    pub mzxid: u32,
    /// Transaction of the last create or delete of a direct child.
    pub pzxid: u32,
    /// Data version.
    pub version: i32,
    /// Creates plus deletes of children, as shown (not the counter of sequential names).
    pub cversion: i32,
    /// Version of the access control list.
    pub aversion: i32,
    /// Owning session, as shown: `None` also for containers.
    pub owner: Option<Who>,
    /// Length of the data.
    pub data_length: u32,
    /// Number of direct children.
    pub children: u32,
}

impl Names for Stat {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        visit(Name::Zxid(&mut self.czxid));
        visit(Name::Zxid(&mut self.mzxid));
        visit(Name::Zxid(&mut self.pzxid));
        if let Some(owner) = &mut self.owner {
            visit(Name::Who(owner));
        }
    }
}

/// A member of a multi, or a write on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Write {
    /// Create a node.
    Create {
        /// Path without the counter.
        path: Text,
        /// Data, `None` for null.
        data: Option<Text>,
        /// Mode.
        mode: CreateMode,
    },
    /// Delete a node.
    Delete {
        /// Path.
        path: Text,
        /// Expected version.
        version: Option<i32>,
    },
    /// Set data.
    SetData {
        /// Path.
        path: Text,
        /// Data, `None` for null.
        data: Option<Text>,
        /// Expected version.
        version: Option<i32>,
    },
    /// Check a version (in a multi).
    Check {
        /// Path.
        path: Text,
        /// Expected version.
        version: Option<i32>,
    },
}

/// A request of a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Request {
    /// A single write.
    Write(Write),
    /// All or none.
    Multi(Vec<Write>),
    /// `exists`, perhaps with a watch.
    Exists {
        /// Path.
        path: Text,
        /// Set a watch.
        watch: bool,
    },
    /// `getData`, perhaps with a watch.
    GetData {
        /// Path.
        path: Text,
        /// Set a watch.
        watch: bool,
    },
    /// `getChildren`, perhaps with a watch.
    GetChildren {
        /// Path.
        path: Text,
        /// Set a watch.
        watch: bool,
    },
    /// `sync`.
    Sync,
    /// `addWatch`.
    AddWatch {
        /// Path.
        path: Text,
        /// Mode.
        mode: AddWatchMode,
    },
    /// `removeWatches` with type Any.
    RemoveWatches {
        /// Path.
        path: Text,
    },
    /// Opens a session. Sent by a client that has none; the session's id travels with the request.
    OpenSession,
    /// Closes the session.
    CloseSession,
}

/// A successful answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Response {
    /// The path of the created node.
    Created(Text),
    /// Deleted, checked, synced, watch set or removed, session closed.
    Done,
    /// Data was set.
    Set(Stat),
    /// Data of a node.
    Data(Option<Text>, Stat),
    /// Whether a node exists. A missing node is `None` here, though an error on the wire.
    Exists(Option<Stat>),
    /// Names of the children, in the order in which this server happens to list them.
    Children(Vec<Text>),
    /// Results of a multi that succeeded.
    Multi(Vec<MultiResult>),
    /// A session was opened.
    Opened(Who),
}

/// The result of a member of a multi that succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MultiResult {
    /// The path of the created node.
    Created(Text),
    /// Data was set.
    Set(Stat),
    /// Deleted or checked.
    Done,
}

/// An unsuccessful answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Failure {
    /// The code (for a multi: of the member that failed).
    pub error: ZkError,
    /// For a multi: the code of each member; `None` stands for OK, the members in front.
    pub members: Vec<Option<ZkError>>,
}

/// A server's answer to a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reply {
    /// The zxid in the header: the last one that this server had applied. 0 where not tracked.
    pub zxid: u32,
    /// The answer.
    pub result: Result<Response, Failure>,
}

/// A watch that fires, on its way to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Notification {
    /// Whose connection it goes to.
    pub session: Who,
    /// What happened.
    pub kind: EventKind,
    /// To which node.
    pub path: Text,
}

/// The tables of a reconnecting client (`setWatches2`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WatchTable {
    /// Set by `getData`, or by `exists` on a node that was there.
    Data,
    /// Set by `exists` on a node that was missing.
    Exist,
    /// Set by `getChildren`.
    Child,
    /// Set by `addWatch`.
    Persistent,
    /// Set by `addWatch`, recursive.
    Recursive,
}

impl Names for Write {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        match self {
            Write::Create { path, data, .. } | Write::SetData { path, data, .. } => {
                path.names(visit);
                data.names(visit);
            }
            Write::Delete { path, .. } | Write::Check { path, .. } => path.names(visit),
        }
    }
}

impl Request {
    /// Whether it goes through the leader: it costs a zxid, or (`sync`) waits for those that others cost.
    pub fn is_write(&self) -> bool {
        matches!(self, Self::Write(_) | Self::Multi(_) | Self::Sync | Self::OpenSession | Self::CloseSession)
    }
}

impl Names for Request {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        match self {
            Request::Write(write) => write.names(visit),
            Request::Multi(writes) => writes.names(visit),
            Request::Exists { path, .. }
            | Request::GetData { path, .. }
            | Request::GetChildren { path, .. }
            | Request::AddWatch { path, .. }
            | Request::RemoveWatches { path } => path.names(visit),
            Request::Sync | Request::OpenSession | Request::CloseSession => {}
        }
    }
}

impl Names for MultiResult {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        match self {
            MultiResult::Created(path) => path.names(visit),
            MultiResult::Set(stat) => stat.names(visit),
            MultiResult::Done => {}
        }
    }
}

impl Names for Response {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        match self {
            Response::Created(path) => path.names(visit),
            Response::Set(stat) => stat.names(visit),
            Response::Data(data, stat) => {
                data.names(visit);
                stat.names(visit);
            }
            Response::Exists(stat) => stat.names(visit),
            Response::Children(names) => names.names(visit),
            Response::Multi(results) => results.names(visit),
            Response::Opened(session) => visit(Name::Who(session)),
            Response::Done => {}
        }
    }
}

impl Names for Reply {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        visit(Name::Zxid(&mut self.zxid));
        if let Ok(response) = &mut self.result {
            response.names(visit);
        }
    }
}

impl Names for Notification {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        visit(Name::Who(&mut self.session));
        self.path.names(visit);
    }
}
