//! A second ZooKeeper, written from the rules with strings, maps and copies, and without a thought of
//! speed. It shares nothing with the service but the types of the protocol. As the real server does, it
//! first *prepares* a write against the tree plus what the earlier members of a multi will do to it, and
//! then applies the transaction that came out, which is not checked again.

use std::collections::{BTreeMap, BTreeSet};

use overtake_recipes::{CreateMode, ZkError};
use overtake_sim::names::Who;
use overtake_sim::zookeeper::{WatchTable, Write};

use super::paths;

#[derive(Clone, Debug)]
pub struct Node {
    pub data: Option<String>,
    pub czxid: u32,
    pub mzxid: u32,
    pub pzxid: u32,
    pub version: i32,
    pub creates: i32,
    pub owner: Option<Who>,
    pub container: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    Once,
    Persistent,
    Recursive,
}

/// Path, session: mode.
pub type Table = BTreeMap<(String, Who), Mode>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Session {
    pub closing: bool,
    pub connected: bool,
}

#[derive(Clone, Debug)]
pub struct Naive {
    pub tree: BTreeMap<String, Node>,
    pub sessions: BTreeMap<Who, Session>,
    pub data_watches: Table,
    pub child_watches: Table,
    pub zxid: u32,
    events: Vec<(Who, String)>,
}

/// A write that was found good, with its results.
#[derive(Clone)]
pub enum Txn {
    Create { path: String, data: Option<String>, owner: Option<Who>, container: bool, parent_creates: i32 },
    Delete(String),
    Set(String, Option<String>, i32),
    Check,
}

pub type Answer = Result<String, String>;

pub fn error(code: ZkError) -> String {
    format!("{code:?}")
}

impl Naive {
    pub fn new() -> Self {
        let root =
            Node { data: None, czxid: 0, mzxid: 0, pzxid: 0, version: 0, creates: 0, owner: None, container: false };
        Self {
            tree: BTreeMap::from([("/".to_owned(), root)]),
            sessions: BTreeMap::new(),
            data_watches: Table::new(),
            child_watches: Table::new(),
            zxid: 0,
            events: Vec::new(),
        }
    }

    pub fn take_events(&mut self) -> Vec<(Who, String)> {
        std::mem::take(&mut self.events)
    }

    pub fn children(&self, path: &str) -> Vec<String> {
        let mut children: Vec<String> =
            self.tree.keys().filter(|other| *other != "/" && paths::parent(other) == path).cloned().collect();
        children.sort_by_key(|child| paths::visible_key(child));
        children
    }

    pub fn stat(&self, path: &str) -> String {
        let node = &self.tree[path];
        let kids = self.children(path).len() as i32;
        let owner = match node.owner {
            Some(owner) => format!(" owner={}", paths::letter(owner)),
            None => String::new(),
        };
        format!(
            "{{c={} m={} p={} v={} cv={} av=0 len={} kids={kids}{owner}}}",
            node.czxid,
            node.mzxid,
            node.pzxid,
            node.version,
            (2 * i64::from(node.creates) - i64::from(kids)) as i32,
            node.data.as_ref().map_or(0, String::len)
        )
    }

    /// What the server's tables hold, in words.
    pub fn watches(&self) -> BTreeSet<String> {
        let words = |((path, session), mode): (&(String, Who), &Mode), once: &str| {
            let kind = match mode {
                Mode::Once => once,
                Mode::Persistent => "persistent",
                Mode::Recursive => "recursive",
            };
            format!("{} {kind} {path}", paths::letter(*session))
        };
        let data = self.data_watches.iter().map(|entry| {
            let missing = !self.tree.contains_key(&entry.0.0);
            words(entry, if missing { "exist" } else { "data" })
        });
        let child = self.child_watches.iter().map(|entry| words(entry, "child"));
        data.chain(child).collect()
    }

    // Sessions.

    pub fn open(&mut self, session: Who) {
        self.zxid += 1;
        let fresh = Session { closing: false, connected: true };
        assert!(self.sessions.insert(session, fresh).is_none());
    }

    pub fn begin_expiry(&mut self, session: Who) {
        if let Some(session) = self.sessions.get_mut(&session) {
            session.closing = true;
        }
    }

    pub fn finish_expiry(&mut self, session: Who) {
        if self.sessions.contains_key(&session) {
            // The connection is closed in the same step, so nothing is delivered.
            self.disconnect(session);
            self.close(session);
        }
    }

    pub fn close(&mut self, session: Who) {
        self.zxid += 1;
        let mut owned: Vec<String> =
            self.tree.iter().filter(|(_, node)| node.owner == Some(session)).map(|(path, _)| path.clone()).collect();
        owned.sort_by_key(|path| paths::visible_key(path));
        for path in owned {
            self.apply_txn(Txn::Delete(path));
        }
        self.disconnect(session);
        self.sessions.remove(&session);
    }

    pub fn disconnect(&mut self, session: Who) {
        if let Some(session) = self.sessions.get_mut(&session) {
            session.connected = false;
        }
        self.data_watches.retain(|(_, who), _| *who != session);
        self.child_watches.retain(|(_, who), _| *who != session);
    }

    pub fn reconnect(&mut self, session: Who, tables: &[(WatchTable, String)], seen: u32) -> &'static str {
        if seen > self.zxid {
            return "client ahead";
        }
        self.disconnect(session);
        if self.sessions.get(&session).is_none_or(|s| s.closing) {
            return "session over";
        }
        self.sessions.get_mut(&session).unwrap().connected = true;
        let of =
            |wanted: WatchTable| tables.iter().filter(move |(table, _)| *table == wanted).map(|(_, path)| path.clone());
        for path in of(WatchTable::Data) {
            match self.tree.get(&path) {
                None => self.tell(session, &path, "Deleted"),
                Some(node) if node.mzxid > seen => self.tell(session, &path, "DataChanged"),
                Some(_) => self.watch_data(session, &path, Mode::Once),
            }
        }
        for path in of(WatchTable::Exist) {
            match self.tree.get(&path) {
                Some(_) => self.tell(session, &path, "Created"),
                None => self.watch_data(session, &path, Mode::Once),
            }
        }
        for path in of(WatchTable::Child) {
            match self.tree.get(&path) {
                None => self.tell(session, &path, "Deleted"),
                Some(node) if node.pzxid > seen => self.tell(session, &path, "ChildrenChanged"),
                Some(_) => self.watch_child(session, &path, Mode::Once),
            }
        }
        for (table, mode) in [(WatchTable::Persistent, Mode::Persistent), (WatchTable::Recursive, Mode::Recursive)] {
            for path in of(table) {
                self.watch_child(session, &path, mode);
                self.watch_data(session, &path, mode);
            }
        }
        "welcome"
    }

    // Watches.

    fn tell(&mut self, session: Who, path: &str, what: &str) {
        self.events.push((session, format!("({path} {what})")));
    }

    pub fn watch_data(&mut self, session: Who, path: &str, mode: Mode) {
        if self.sessions[&session].connected {
            self.data_watches.insert((path.to_owned(), session), mode);
        }
    }

    pub fn watch_child(&mut self, session: Who, path: &str, mode: Mode) {
        if self.sessions[&session].connected {
            self.child_watches.insert((path.to_owned(), session), mode);
        }
    }

    /// The sessions that a table has to tell; their one-shot watches are spent.
    fn hit(table: &mut Table, path: &str, what: &str) -> BTreeSet<Who> {
        let mut sessions = BTreeSet::new();
        for ((watched, session), mode) in table.iter() {
            let reached = match mode {
                Mode::Once | Mode::Persistent => watched == path,
                Mode::Recursive => what != "ChildrenChanged" && paths::within(path, watched),
            };
            if reached {
                sessions.insert(*session);
            }
        }
        table.retain(|(watched, _), mode| watched != path || *mode != Mode::Once);
        sessions
    }

    fn fire(&mut self, path: &str, what: &str, data: bool, child: bool) {
        let mut sessions = BTreeSet::new();
        if data {
            sessions.extend(Self::hit(&mut self.data_watches, path, what));
        }
        if child {
            sessions.extend(Self::hit(&mut self.child_watches, path, what));
        }
        for session in sessions {
            self.tell(session, path, what);
        }
    }

    // Writes.

    /// `self` is the tree plus everything that is still on its way.
    pub fn prepare(&self, session: Who, write: &Write) -> Result<Txn, ZkError> {
        let check_version = |node: &Node, version: &Option<i32>| match *version {
            None | Some(-1) => Ok(()),
            Some(version) if version == node.version => Ok(()),
            _ => Err(ZkError::BadVersion),
        };
        match write {
            Write::Create { path, data, mode } => {
                let mut path = path.to_string();
                if !path.contains('/') {
                    return Err(ZkError::BadArguments);
                }
                let parent = self.tree.get(paths::parent(&path)).ok_or(ZkError::NoNode)?;
                if mode.is_sequential() {
                    path = format!("{path}{:010}", parent.creates);
                }
                paths::validate(&path)?;
                if self.tree.contains_key(&path) || path == "/zookeeper" {
                    return Err(ZkError::NodeExists);
                }
                if parent.owner.is_some() {
                    return Err(ZkError::NoChildrenForEphemerals);
                }
                Ok(Txn::Create {
                    path,
                    data: data.map(|data| data.to_string()),
                    owner: mode.is_ephemeral().then_some(session),
                    container: *mode == CreateMode::Container,
                    parent_creates: parent.creates.wrapping_add(1),
                })
            }
            Write::Delete { path, version } => {
                let path = path.to_string();
                let special = ["/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"];
                if !path.contains('/') || special.contains(&path.as_str()) {
                    return Err(ZkError::BadArguments);
                }
                if !self.tree.contains_key(paths::parent(&path)) {
                    return Err(ZkError::NoNode);
                }
                let node = self.tree.get(&path).ok_or(ZkError::NoNode)?;
                check_version(node, version)?;
                if !self.children(&path).is_empty() {
                    return Err(ZkError::NotEmpty);
                }
                Ok(Txn::Delete(path))
            }
            Write::SetData { path, data, version } => {
                let path = path.to_string();
                paths::validate(&path)?;
                let node = self.tree.get(&path).ok_or(ZkError::NoNode)?;
                check_version(node, version)?;
                let next = node.version.wrapping_add(1);
                Ok(Txn::Set(path, data.map(|data| data.to_string()), next))
            }
            Write::Check { path, version } => {
                let path = path.to_string();
                paths::validate(&path)?;
                check_version(self.tree.get(&path).ok_or(ZkError::NoNode)?, version)?;
                Ok(Txn::Check)
            }
        }
    }

    /// Applies a prepared write under the zxid that was taken last.
    pub fn apply_txn(&mut self, txn: Txn) -> String {
        let zxid = self.zxid;
        match txn {
            Txn::Create { path, data, owner, container, parent_creates } => {
                let parent = self.tree.get_mut(paths::parent(&path)).unwrap();
                if parent_creates > parent.creates {
                    parent.creates = parent_creates;
                    parent.pzxid = zxid;
                }
                let node =
                    Node { data, czxid: zxid, mzxid: zxid, pzxid: zxid, version: 0, creates: 0, owner, container };
                self.tree.insert(path.clone(), node);
                self.fire(&path, "Created", true, false);
                self.fire(paths::parent(&path), "ChildrenChanged", false, true);
                format!("created {path}")
            }
            Txn::Delete(path) => {
                self.tree.remove(&path);
                self.tree.get_mut(paths::parent(&path)).unwrap().pzxid = zxid;
                self.fire(&path, "Deleted", true, true);
                self.fire(paths::parent(&path), "ChildrenChanged", false, true);
                "done".to_owned()
            }
            Txn::Set(path, data, version) => {
                let node = self.tree.get_mut(&path).unwrap();
                node.data = data;
                node.version = version;
                node.mzxid = zxid;
                self.fire(&path, "DataChanged", true, false);
                format!("set {}", self.stat(&path))
            }
            Txn::Check => "done".to_owned(),
        }
    }

    pub fn multi(&mut self, session: Who, writes: &[Write]) -> Answer {
        self.zxid += 1;
        let mut pending = self.clone();
        let mut txns = Vec::new();
        for (at, write) in writes.iter().enumerate() {
            let txn = match pending.prepare(session, write) {
                Ok(txn) => txn,
                Err(code) => {
                    let mut codes = vec!["OK".to_owned(); at];
                    codes.push(error(code));
                    codes.resize(writes.len(), error(ZkError::RuntimeInconsistency));
                    return Err(format!("{} [{}]", error(code), codes.join(", ")));
                }
            };
            pending.apply_txn(txn.clone());
            if let Txn::Create { path, parent_creates, .. } = &txn {
                // Later members see the counter as it was handed out, even where the tree does not
                // follow.
                let parent = pending.tree.get_mut(paths::parent(path)).unwrap();
                parent.creates = *parent_creates;
            }
            txns.push(txn);
        }
        let results: Vec<String> = txns.into_iter().map(|txn| self.apply_txn(txn)).collect();
        Ok(format!("[{}]", results.join(", ")))
    }
}
