//! The simulated ZooKeeper as the service of a hub.

use overtake_recipes::{CreateMode, Op, OpResult, Stat, ZkError};
use overtake_sim::names::{Text, Who, many_ids, session_number, slot_of, unique_id, who};
use overtake_sim::zookeeper::{
    Config, MultiResult, Notification, Request as WireRequest, Response as WireResponse, Stat as WireStat, WatchTable,
    Write, ZooKeeper,
};

use crate::client::{Answer, Faults, Frame, Request, Response, Rewatch, Service, Table};

/// One server, a plain value, and what each client's library knows of it.
#[derive(Clone, Debug)]
pub struct Simulated {
    server: ZooKeeper,
    clients: Vec<Library>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Library {
    session: Who,
    /// The session that was given up last.
    former: Who,
    sessions: usize,
    ids: usize,
    /// The last zxid of a reply, for watches that are set again.
    zxid: u32,
}

impl Simulated {
    /// A fresh server for so many clients, with these nodes.
    ///
    /// # Panics
    /// When a node's parent does not come before it.
    pub fn new(clients: usize, nodes: &[&str]) -> Self {
        let mut server = ZooKeeper::new(Config::default());
        for node in nodes {
            server.seed_node(Text::new(node), None, CreateMode::Persistent);
        }
        Self { server, clients: vec![Library::default(); clients] }
    }

    /// The server.
    pub fn server(&self) -> &ZooKeeper {
        &self.server
    }

    /// The server, to be changed from outside.
    pub fn server_mut(&mut self) -> &mut ZooKeeper {
        &mut self.server
    }

    /// The names of a node's children, lowest number first.
    pub fn children(&self, path: &str) -> Vec<String> {
        self.server.children(Text::new(path)).iter().map(|child| child.leaf().full()).collect()
    }

    /// Which client's session owns a node.
    pub fn owner(&self, path: &str) -> Option<usize> {
        self.server.owner(Text::new(path)).map(slot_of)
    }

    /// Whether the node's owner is a session that its client still has.
    pub fn is_of_a_live_session(&self, path: &str) -> bool {
        let owner = self.server.owner(Text::new(path));
        owner.is_some_and(|owner| self.server.is_alive(owner))
    }

    fn put(notifications: Vec<Notification>, events: &mut Vec<(usize, Frame)>) {
        for Notification { session, kind, path } in notifications {
            events.push((slot_of(session), Frame::Event(kind, path.full())));
        }
    }
}

fn text(data: &[u8]) -> Option<Text> {
    Some(Text::new(std::str::from_utf8(data).expect("node data in the simulator is text")))
}

fn wire(request: &Request) -> WireRequest {
    match request {
        Request::Create { path, data, mode } => {
            WireRequest::Write(Write::Create { path: Text::new(path), data: text(data), mode: *mode })
        }
        Request::Delete { path, version } => {
            WireRequest::Write(Write::Delete { path: Text::new(path), version: *version })
        }
        Request::SetData { path, data, version } => {
            WireRequest::Write(Write::SetData { path: Text::new(path), data: text(data), version: *version })
        }
        Request::GetData { path, watch } => WireRequest::GetData { path: Text::new(path), watch: *watch },
        Request::Exists { path, watch } => WireRequest::Exists { path: Text::new(path), watch: *watch },
        Request::Children { path, watch } => WireRequest::GetChildren { path: Text::new(path), watch: *watch },
        Request::Multi(ops) => WireRequest::Multi(ops.iter().map(member).collect()),
        Request::Sync => WireRequest::Sync,
        Request::AddWatch { path, mode } => WireRequest::AddWatch { path: Text::new(path), mode: *mode },
        Request::RemoveWatches { path } => WireRequest::RemoveWatches { path: Text::new(path) },
        Request::Connect => WireRequest::OpenSession,
        Request::Close => WireRequest::CloseSession,
    }
}

fn member(op: &Op) -> Write {
    match op {
        Op::Create { path, data, mode } => Write::Create { path: Text::new(path), data: text(data), mode: *mode },
        Op::Delete { path, version } => Write::Delete { path: Text::new(path), version: *version },
        Op::SetData { path, data, version } => {
            Write::SetData { path: Text::new(path), data: text(data), version: *version }
        }
        Op::Check { path, version } => Write::Check { path: Text::new(path), version: *version },
    }
}

fn stat(stat: WireStat) -> Stat {
    Stat {
        czxid: stat.czxid.into(),
        mzxid: stat.mzxid.into(),
        pzxid: stat.pzxid.into(),
        version: stat.version,
        cversion: stat.cversion,
        aversion: stat.aversion,
        ephemeral_owner: stat.owner.map_or(0, session_number),
        data_length: stat.data_length as i32,
        num_children: stat.children as i32,
    }
}

fn answer(response: WireResponse) -> Response {
    let result = |result: MultiResult| match result {
        MultiResult::Created(path) => OpResult::Created(path.full()),
        MultiResult::Set(it) => OpResult::Set(stat(it)),
        MultiResult::Done => OpResult::Done,
    };
    match response {
        WireResponse::Created(path) => Response::Created(path.full()),
        WireResponse::Done | WireResponse::Opened(_) => Response::Done,
        WireResponse::Set(it) => Response::Set(stat(it)),
        WireResponse::Data(data, it) => Response::Data(data.map_or(Vec::new(), |t| t.full().into_bytes()), stat(it)),
        WireResponse::Exists(it) => Response::Exists(it.map(stat)),
        WireResponse::Children(names) => Response::Children(names.iter().map(|name| name.full()).collect()),
        WireResponse::Multi(results) => Response::Multi(results.into_iter().map(result).collect()),
    }
}

impl Service for Simulated {
    fn serve(&mut self, client: usize, request: &Request, events: &mut Vec<(usize, Frame)>) -> Answer {
        let library = &mut self.clients[client];
        if *request == Request::Connect {
            library.sessions += 1;
            library.session = who(client, library.sessions);
        }
        let mut notifications = Vec::new();
        let reply = self.server.apply(library.session, &wire(request), &mut notifications);
        library.zxid = library.zxid.max(reply.zxid);
        if *request == Request::Close {
            library.session = 0;
        }
        Self::put(notifications, events);
        reply.result.map(answer).map_err(|failure| failure.error)
    }

    fn session(&self, client: usize) -> i64 {
        match self.clients[client].session {
            0 => 0,
            session => session_number(session),
        }
    }

    fn unique_id(&mut self, client: usize) -> String {
        let library = &mut self.clients[client];
        library.ids += 1;
        unique_id(many_ids(client, library.ids - 1))
    }
}

impl Faults for Simulated {
    fn disconnect(&mut self, client: usize) {
        self.server.disconnect(self.clients[client].session);
    }

    fn reconnect(&mut self, client: usize, watches: &[Rewatch], events: &mut Vec<(usize, Frame)>) -> bool {
        let table = |(table, path): &Rewatch| {
            let table = match table {
                Table::Data => WatchTable::Data,
                Table::Exist => WatchTable::Exist,
                Table::Child => WatchTable::Child,
                Table::Persistent => WatchTable::Persistent,
                Table::Recursive => WatchTable::Recursive,
                Table::Session => return None,
            };
            Some((table, Text::new(path)))
        };
        let watches: Vec<(WatchTable, Text)> = watches.iter().filter_map(table).collect();
        let library = &mut self.clients[client];
        let mut notifications = Vec::new();
        let back = self.server.reconnect(library.session, &watches, library.zxid, &mut notifications);
        if back.is_err() {
            library.session = 0;
        }
        Self::put(notifications, events);
        back.is_ok()
    }

    fn expire(&mut self, client: usize, events: &mut Vec<(usize, Frame)>) {
        let mut notifications = Vec::new();
        self.server.apply_close(self.clients[client].session, &mut notifications);
        Self::put(notifications, events);
    }

    fn give_up_session(&mut self, client: usize) {
        let library = &mut self.clients[client];
        library.former = std::mem::take(&mut library.session);
        self.server.disconnect(library.former);
    }

    fn expire_former(&mut self, client: usize, events: &mut Vec<(usize, Frame)>) {
        let mut notifications = Vec::new();
        self.server.apply_close(self.clients[client].former, &mut notifications);
        Self::put(notifications, events);
    }

    fn delete(&mut self, path: &str, events: &mut Vec<(usize, Frame)>) {
        // Somebody whose session nobody else has.
        let outsider = who(self.clients.len(), 1);
        if !self.server.is_known(outsider) {
            self.server.open_session(outsider);
        }
        let mut notifications = Vec::new();
        let request = WireRequest::Write(Write::Delete { path: Text::new(path), version: None });
        let gone = self.server.apply(outsider, &request, &mut notifications).result;
        debug_assert!(gone.is_ok() || gone.is_err_and(|failure| failure.error == ZkError::NoNode));
        Self::put(notifications, events);
    }
}
