//! What goes between a client and its service.

use overtake_recipes::{AddWatchMode, CreateMode, EventKind, Op, OpResult, SessionState, Stat, ZkError};

/// A request of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Creates a node.
    Create {
        /// Path without the counter.
        path: String,
        /// Data.
        data: Vec<u8>,
        /// Mode.
        mode: CreateMode,
    },
    /// Deletes a node.
    Delete {
        /// Path.
        path: String,
        /// Expected version.
        version: Option<i32>,
    },
    /// Sets data.
    SetData {
        /// Path.
        path: String,
        /// Data.
        data: Vec<u8>,
        /// Expected version.
        version: Option<i32>,
    },
    /// Reads a node, perhaps with a watch.
    GetData {
        /// Path.
        path: String,
        /// Set a watch.
        watch: bool,
    },
    /// Looks for a node, perhaps with a watch.
    Exists {
        /// Path.
        path: String,
        /// Set a watch.
        watch: bool,
    },
    /// Lists children, perhaps with a watch.
    Children {
        /// Path.
        path: String,
        /// Set a watch.
        watch: bool,
    },
    /// All or none.
    Multi(Vec<Op>),
    /// Waits for what the leader has proposed.
    Sync,
    /// Sets a watch that stays.
    AddWatch {
        /// Path.
        path: String,
        /// How far it reaches.
        mode: AddWatchMode,
    },
    /// Removes the watches on a path.
    RemoveWatches {
        /// Path.
        path: String,
    },
    /// Opens a session.
    Connect,
    /// Closes the session.
    Close,
}

impl Request {
    /// Whether it changes more than what the client itself is told.
    pub fn writes(&self) -> bool {
        use Request::*;
        matches!(
            self,
            Create { .. } | Delete { .. } | SetData { .. } | Multi(_) | RemoveWatches { .. } | Connect | Close
        )
    }

    /// Whether it may leave a watch.
    pub fn watches(&self) -> bool {
        use Request::*;
        matches!(self, GetData { watch: true, .. } | Exists { watch: true, .. } | Children { watch: true, .. })
            || matches!(self, AddWatch { .. })
    }
}

/// A successful answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// The path of the created node.
    Created(String),
    /// Done.
    Done,
    /// Data was set.
    Set(Stat),
    /// Data.
    Data(Vec<u8>, Stat),
    /// Whether the node is there.
    Exists(Option<Stat>),
    /// Names of the children.
    Children(Vec<String>),
    /// Results of the members.
    Multi(Vec<OpResult>),
}

/// What a service answers.
pub type Answer = Result<Response, ZkError>;

/// Something on its way to a client, for its event thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Something happened to a node.
    Event(EventKind, String),
    /// The connection changed.
    Session(SessionState),
    /// The answer to the call of that number.
    Reply(u64, Answer),
}

/// Which table of watches, as the client library keeps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Set by reading data, or by a look for a node that was there.
    Data,
    /// Set by a look for a node that was not there.
    Exist,
    /// Set by listing.
    Child,
    /// Stays.
    Persistent,
    /// Stays, with all below.
    Recursive,
    /// Changes of the session only.
    Session,
}

impl Table {
    /// Whether a watch of the table on `own` is told of what happened to `path`.
    pub fn is_told(self, own: &str, kind: EventKind, path: &str) -> bool {
        let below =
            || path.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || own == "/");
        match self {
            Table::Data | Table::Exist => own == path && kind != EventKind::ChildrenChanged,
            Table::Child => own == path && matches!(kind, EventKind::ChildrenChanged | EventKind::Deleted),
            Table::Persistent => own == path,
            Table::Recursive => kind != EventKind::ChildrenChanged && below(),
            Table::Session => false,
        }
    }

    /// Whether an event uses the watch up.
    pub fn is_one_shot(self) -> bool {
        matches!(self, Table::Data | Table::Exist | Table::Child)
    }
}

/// A watch that a reconnecting client sets again.
pub type Rewatch = (Table, String);

/// Whom a client talks to: a simulated server, or an adapter to a real one.
pub trait Service: Send + 'static {
    /// Serves a request of a client. What it causes for clients is put into `events`, in order.
    fn serve(&mut self, client: usize, request: &Request, events: &mut Vec<(usize, Frame)>) -> Answer;
    /// The session of a client, 0 for none.
    fn session(&self, client: usize) -> i64;
    /// An id that nobody else has.
    fn unique_id(&mut self, client: usize) -> String;
}

/// What can go wrong with a service, one step each.
pub trait Faults: Service {
    /// The connection of a client breaks; the session stays.
    fn disconnect(&mut self, client: usize);
    /// The client is back, sets its watches again and is told what it missed. `false`: the session is over.
    fn reconnect(&mut self, client: usize, watches: &[Rewatch], events: &mut Vec<(usize, Frame)>) -> bool;
    /// The session of a client ends, and its ephemeral nodes with it. The client does not know yet.
    fn expire(&mut self, client: usize, events: &mut Vec<(usize, Frame)>);
    /// The client gives its session up; at the service it lives on.
    fn give_up_session(&mut self, client: usize);
    /// The session that the client gave up last ends.
    fn expire_former(&mut self, client: usize, events: &mut Vec<(usize, Frame)>);
    /// Somebody else deletes a node.
    fn delete(&mut self, path: &str, events: &mut Vec<(usize, Frame)>);
}
