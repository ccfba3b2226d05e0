//! Creates, deletes, changes of data and checks (§1.2-1.6), alone and in a multi (§1.7).

use overtake_recipes::{CreateMode, ZkError};

use super::protocol::{MultiResult, Notification, Write};
use super::tree::{Kind, Node};
use super::{ZooKeeper, order, permissions};
use crate::names::{Text, Who};

/// Counters that went past 2147483647 within one multi (§1.3, Z130). The tree only ever *raises* a
/// counter, so the wrapped value lives no longer than the multi.
pub(super) type Wrapped = Vec<(Text, i32)>;

impl ZooKeeper {
    /// Applies one write with the given zxid, or changes nothing.
    pub(super) fn write(
        &mut self,
        session: Who,
        write: &Write,
        zxid: u32,
        wrapped: &mut Wrapped,
        out: &mut Vec<Notification>,
    ) -> Result<MultiResult, ZkError> {
        match *write {
            Write::Create { path, data, mode } => {
                let path = self.create(session, path, data, mode, zxid, wrapped, out)?;
                Ok(MultiResult::Created(path))
            }
            Write::Delete { path, version } => {
                self.delete(path, version, zxid, out)?;
                wrapped.retain(|(parent, _)| *parent != path);
                Ok(MultiResult::Done)
            }
            Write::SetData { path, data, version } => {
                let at = self.writable(path, version, permissions::WRITE)?;
                let node = &mut self.nodes[at];
                node.set_data(data);
                // 32 bits, and -1 is not left out in 3.8 (Z131).
                node.version = node.version.wrapping_add(1);
                node.mzxid = zxid;
                let stat = node.stat();
                self.fire_data(path, out);
                Ok(MultiResult::Set(stat))
            }
            Write::Check { path, version } => {
                self.writable(path, version, permissions::READ)?;
                Ok(MultiResult::Done)
            }
        }
    }

    /// The checks that setData and check have in common, in their order (§1.6).
    fn writable(&self, path: Text, version: Option<i32>, permission: u8) -> Result<usize, ZkError> {
        let Some(at) = self.find(path) else {
            return Err(if order::is_valid(path) { ZkError::NoNode } else { ZkError::BadArguments });
        };
        if !self.nodes[at].allows(permission) {
            return Err(ZkError::NoAuth);
        }
        self.check_version(at, version)?;
        Ok(at)
    }

    /// Expecting -1 is the same as expecting nothing (§1.4).
    fn check_version(&self, at: usize, version: Option<i32>) -> Result<(), ZkError> {
        match version {
            None | Some(-1) => Ok(()),
            Some(version) if version == self.nodes[at].version => Ok(()),
            Some(_) => Err(ZkError::BadVersion),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "they are what a create is, each with a type of its own")]
    fn create(
        &mut self,
        session: Who,
        path: Text,
        data: Option<Text>,
        mode: CreateMode,
        zxid: u32,
        wrapped: &mut Wrapped,
        out: &mut Vec<Notification>,
    ) -> Result<Text, ZkError> {
        let parent_path = parent_for_create(path)?;
        let Some(parent) = self.find(parent_path) else {
            return Err(if order::has_nul(path) { ZkError::BadArguments } else { ZkError::NoNode });
        };
        if !self.nodes[parent].allows(permissions::CREATE) {
            return Err(ZkError::NoAuth);
        }
        let ahead = wrapped.iter().position(|(p, _)| *p == parent_path);
        let number = ahead.map_or(self.nodes[parent].counter, |at| wrapped[at].1);
        let path = if mode.is_sequential() { path.with_seq(number) } else { path };
        // A node that is there has a valid path, so this may come before the check of the path.
        if self.find(path).is_some() || order::is_reserved(path) {
            return Err(ZkError::NodeExists);
        }
        if !order::is_valid_component(&path.leaf().full()) {
            return Err(ZkError::BadArguments);
        }
        if self.nodes[parent].kind.owner().is_some() {
            return Err(ZkError::NoChildrenForEphemerals);
        }
        let next = number.wrapping_add(1);
        let node = &mut self.nodes[parent];
        node.children += 1;
        node.sequential |= mode.is_sequential();
        // The tree only raises the counter, and pzxid moves with it (§1.3, Z130).
        if next > node.counter {
            node.counter = next;
            node.pzxid = zxid;
        } else if let Some(at) = ahead {
            wrapped[at].1 = next;
        } else {
            wrapped.push((parent_path, next));
        }
        let kind = match mode {
            CreateMode::Persistent | CreateMode::PersistentSequential => Kind::Persistent,
            CreateMode::Ephemeral | CreateMode::EphemeralSequential => Kind::Ephemeral(session),
            CreateMode::Container => Kind::Container,
        };
        self.insert(Node::new(path, data, kind, zxid));
        self.fire_created(path, parent_path, out);
        Ok(path)
    }

    fn delete(
        &mut self,
        path: Text,
        version: Option<i32>,
        zxid: u32,
        out: &mut Vec<Notification>,
    ) -> Result<(), ZkError> {
        // Without a slash, or `/` itself.
        let Some(parent) = path.parent() else {
            return Err(ZkError::BadArguments);
        };
        let found = self.find(path);
        if found.is_none() && (order::is_reserved(path) || order::has_nul(path)) {
            return Err(ZkError::BadArguments);
        }
        let parent = self.find(parent).ok_or(ZkError::NoNode)?;
        if !self.nodes[parent].allows(permissions::DELETE) {
            return Err(ZkError::NoAuth);
        }
        let at = found.ok_or(ZkError::NoNode)?;
        // In this order (Z26).
        self.check_version(at, version)?;
        if self.nodes[at].children > 0 {
            return Err(ZkError::NotEmpty);
        }
        self.remove(at, zxid, out);
        Ok(())
    }

    /// Takes a node without children out of the tree, whoever asks for it.
    pub(super) fn remove(&mut self, at: usize, zxid: u32, out: &mut Vec<Notification>) {
        let path = self.nodes.remove(at).path;
        let parent_path = path.parent().expect("the root stays");
        let parent = self.find(parent_path).expect("a node has a parent");
        let parent = &mut self.nodes[parent];
        parent.children -= 1;
        parent.pzxid = zxid;
        self.fire_deleted(path, parent_path, out);
    }

    /// The containers that the sweeper would take now (§1.2): had a child, have none. Ordered as siblings
    /// are listed.
    pub fn sweepable(&self) -> Vec<Text> {
        let mut paths: Vec<Text> = self.nodes.iter().filter(|node| node.is_sweepable()).map(|node| node.path).collect();
        paths.sort_unstable_by(|a, b| order::listed(*a, *b));
        paths
    }

    /// The sweeper comes by a container: an ordinary delete with a zxid of its own (§1.2, Z21). Answers
    /// whether the node was one to sweep; nothing happens otherwise (Z19, Z20).
    pub fn sweep_container(&mut self, path: Text, out: &mut Vec<Notification>) -> bool {
        match self.find(path) {
            Some(at) if self.nodes[at].is_sweepable() => {
                let zxid = self.next_zxid();
                self.remove(at, zxid, out);
                true
            }
            _ => false,
        }
    }
}

/// The parent of a path to create, which for a sequential create may end in a slash (Z11).
fn parent_for_create(path: Text) -> Result<Text, ZkError> {
    match path.parent() {
        Some(parent) => Ok(parent),
        None if path == order::root() => Ok(path),
        None => Err(ZkError::BadArguments),
    }
}
