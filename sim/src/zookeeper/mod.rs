//! ZooKeeper 3.8 with one server, as a plain deterministic value.
//!
//! [`ZooKeeper`] holds the tree, the sessions and the watch tables of one standalone server. A request
//! is applied at once and as a whole, so the write pipeline of the real server (where a request is judged
//! against changes that are still on their way) is seen only inside a multi. Nothing in here knows about
//! connections as streams: the caller carries replies and [`Notification`]s to the clients, notifications
//! in front of the reply of the request that caused them.
//!
//! The value is canonical: two servers with equal contents are equal and hash alike, whatever their
//! histories. What a client can see never depends on the order in which the process met the texts.
//!
//! Section (§) and Z numbers name rules of ZooKeeper; `docs/sources.md` says which, and where each comes from.
//!
//! Deviations from a real server, all on purpose:
//! - the server's own nodes (`/zookeeper` and what is below) are not in the tree: reads answer `NoNode` and
//!   `/` does not list them. Creating `/zookeeper` answers `NodeExists`, deleting one of them `BadArguments`;
//! - permissions are those of everybody, set from outside with [`ZooKeeper::set_permissions`]; as in
//!   3.8.0, `exists` and events need no permission (Z107);
//! - there are no quotas, TTL nodes, times or digests.

mod order;
mod protocol;
mod reconnect;
mod seed;
mod service;
mod sessions;
mod tree;
mod watches;
mod writes;

pub use protocol::{Failure, MultiResult, Notification, Reply, Request, Response, Stat, WatchTable, Write};
pub use reconnect::Refused;
pub use seed::permissions;

use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

use crate::names::{Name, Names, Text, Who};
use sessions::Session;
use tree::Node;
use watches::Watch;

/// What the server keeps track of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Config {
    /// Whether transactions are numbered. Without it every zxid is 0 everywhere, which makes more
    /// servers equal; meant for worlds in which nobody can observe a zxid. A reconnect that would have
    /// to compare zxids panics then.
    pub track_zxids: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { track_zxids: true }
    }
}

/// A standalone ZooKeeper 3.8 server.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ZooKeeper {
    /// Sorted by [`order::stored`].
    nodes: Vec<Node>,
    /// Sorted by session, path and table; at most one entry for each such triple.
    watches: Vec<Watch>,
    /// Sorted by id. Closed sessions are forgotten.
    sessions: Vec<Session>,
    last_zxid: u32,
    config: Config,
}

impl Default for ZooKeeper {
    fn default() -> Self {
        Self::new(Config::default())
    }
}

impl ZooKeeper {
    /// A fresh server: the node `/`, no sessions, zxid 0.
    pub fn new(config: Config) -> Self {
        Self {
            nodes: vec![Node::new(order::root(), None, tree::Kind::Persistent, 0)],
            watches: Vec::new(),
            sessions: Vec::new(),
            last_zxid: 0,
            config,
        }
    }

    /// Whether transactions are numbered.
    pub fn tracks_zxids(&self) -> bool {
        self.config.track_zxids
    }

    /// The same tree and sessions, without connections and watches: what another server has when it has applied all
    /// of it.
    pub fn replica(&self) -> Self {
        let mut replica = self.clone();
        replica.restart();
        replica
    }

    /// The process starts again from its log: no connections, no watches, and every session with a fresh time-out, so
    /// that none is closing any more (§3.4, Z120).
    pub fn restart(&mut self) {
        self.watches.clear();
        for session in &mut self.sessions {
            session.connected = false;
            session.closing = false;
        }
    }

    /// Says that transactions up to the zxid are applied, whether or not they are (ZOOKEEPER-2355).
    pub fn claim_zxid(&mut self, zxid: u32) {
        self.last_zxid = zxid;
    }

    /// The zxid of the last transaction, 0 where zxids are not tracked.
    pub fn last_zxid(&self) -> u32 {
        self.last_zxid
    }

    /// Takes the next zxid (§1.1).
    fn next_zxid(&mut self) -> u32 {
        if self.config.track_zxids {
            self.last_zxid += 1;
        }
        self.last_zxid
    }

    /// Restores the order of everything inside. To be called after names were changed through
    /// [`Names`], unless the change kept the order of the sequence numbers and did not touch owners.
    pub fn normalise(&mut self) {
        // Where names were made one (all that are gone, all but one's own), several nodes, watches or sessions can have the same
        // key: what else they are decides then, so that the order never depends on the names that they had.
        self.nodes.sort_unstable_by(|a, b| order::stored(a.path, b.path).then_with(|| print(a).cmp(&print(b))));
        self.watches.sort_unstable_by(|a, b| Watch::order(a, b).then_with(|| print(a).cmp(&print(b))));
        self.watches.dedup();
        self.sessions.sort_unstable_by_key(|s| (s.id, s.closing, s.connected));
    }

    /// The Stat of a node (§1.4), as any client that could read it would see it.
    pub fn node(&self, path: Text) -> Option<Stat> {
        self.find(path).map(|at| self.nodes[at].stat())
    }

    /// The data of a node: `None` for no node, `Some(None)` for null data.
    pub fn data(&self, path: Text) -> Option<Option<Text>> {
        self.find(path).map(|at| self.nodes[at].data)
    }

    /// All nodes, `/` included, in an order that is fixed within a process but means nothing.
    pub fn nodes(&self) -> impl Iterator<Item = (Text, Stat)> + '_ {
        self.nodes.iter().map(|node| (node.path, node.stat()))
    }

    /// The full paths of the children, ordered by sequence number.
    pub fn children(&self, path: Text) -> Vec<Text> {
        self.find(path).map(|at| self.sorted_children(at)).unwrap_or_default()
    }

    /// The session that owns an ephemeral node.
    pub fn owner(&self, path: Text) -> Option<Who> {
        self.find(path).and_then(|at| self.nodes[at].kind.owner())
    }

    /// The counter behind the sequential names of a node's children: the creates since the node itself
    /// was created (§1.3). 0 for a missing node.
    pub fn counter(&self, path: Text) -> i32 {
        self.find(path).map_or(0, |at| self.nodes[at].counter)
    }

    /// Whether the node's counter is a name: a sequential child was ever created.
    pub fn counter_is_name(&self, path: Text) -> bool {
        self.find(path).is_some_and(|at| self.nodes[at].sequential)
    }
}

fn print(value: &impl Hash) -> u64 {
    FxBuildHasher.hash_one(value)
}

/// The counter of a node is a name from the first sequential create below it on; the counters of other
/// nodes are plain numbers that nobody can compare with a sequence number. So the first sequential create
/// below a node brings its plain counter into the world as a new name, and that one step need not commute
/// with a renumbering made before it.
impl Names for ZooKeeper {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        for node in &mut self.nodes {
            node.names(visit);
        }
        for watch in &mut self.watches {
            watch.names(visit);
        }
        for session in &mut self.sessions {
            visit(Name::Who(&mut session.id));
        }
        visit(Name::Zxid(&mut self.last_zxid));
    }
}
