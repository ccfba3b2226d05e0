//! The tree: nodes in one flat vector.

use super::protocol::Stat;
use super::{ZooKeeper, order, permissions};
use crate::names::{Name, Names, Text, Who};

/// What a node lives by (§1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Persistent,
    Ephemeral(Who),
    Container,
}

impl Kind {
    pub(super) fn owner(self) -> Option<Who> {
        match self {
            Kind::Ephemeral(owner) => Some(owner),
            Kind::Persistent | Kind::Container => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Node {
    pub(super) path: Text,
    pub(super) data: Option<Text>,
    /// Kept because finding it out means to render the text.
    pub(super) data_length: u32,
    pub(super) czxid: u32,
    pub(super) mzxid: u32,
    pub(super) pzxid: u32,
    pub(super) version: i32,
    /// The internal cversion: successful creates of children (§1.3).
    pub(super) counter: i32,
    /// Whether a sequential child was ever created, so that the counter is a name.
    pub(super) sequential: bool,
    pub(super) kind: Kind,
    pub(super) permissions: u8,
    pub(super) children: u32,
}

impl Node {
    pub(super) fn new(path: Text, data: Option<Text>, kind: Kind, zxid: u32) -> Self {
        Self {
            path,
            data,
            data_length: length(data),
            czxid: zxid,
            mzxid: zxid,
            pzxid: zxid,
            version: 0,
            counter: 0,
            sequential: false,
            kind,
            permissions: permissions::ALL,
            children: 0,
        }
    }

    pub(super) fn set_data(&mut self, data: Option<Text>) {
        self.data = data;
        self.data_length = length(data);
    }

    /// The Stat as shown (§1.4): creates and deletes of children, though only creates are counted.
    pub(super) fn stat(&self) -> Stat {
        Stat {
            czxid: self.czxid,
            mzxid: self.mzxid,
            pzxid: self.pzxid,
            version: self.version,
            cversion: self.counter.wrapping_mul(2).wrapping_sub(self.children as i32),
            aversion: 0,
            owner: self.kind.owner(),
            data_length: self.data_length,
            children: self.children,
        }
    }

    pub(super) fn allows(&self, permission: u8) -> bool {
        self.permissions & permission != 0
    }

    /// Whether it is a container that had a child and has none now (§1.2, Z19-Z21).
    pub(super) fn is_sweepable(&self) -> bool {
        // A renumbered counter says nothing about the number of creates, but there was one.
        let had_child = self.sequential || self.counter > 0;
        self.kind == Kind::Container && self.children == 0 && had_child
    }
}

fn length(data: Option<Text>) -> u32 {
    data.map_or(0, |text| text.to_string().len() as u32)
}

impl Names for Node {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        self.path.names(visit);
        self.data.names(visit);
        visit(Name::Zxid(&mut self.czxid));
        visit(Name::Zxid(&mut self.mzxid));
        visit(Name::Zxid(&mut self.pzxid));
        if self.sequential {
            visit(Name::Seq(&mut self.counter));
        }
        if let Kind::Ephemeral(owner) = &mut self.kind {
            visit(Name::Who(owner));
        }
    }
}

impl ZooKeeper {
    pub(super) fn find(&self, path: Text) -> Option<usize> {
        self.nodes.iter().position(|node| node.path == path)
    }

    pub(super) fn insert(&mut self, node: Node) {
        let at = self.nodes.partition_point(|n| order::stored(n.path, node.path).is_lt());
        self.nodes.insert(at, node);
    }

    /// The full paths of the children of the node at `at`, in the order of [`order::listed`].
    pub(super) fn sorted_children(&self, at: usize) -> Vec<Text> {
        let parent = &self.nodes[at];
        let wanted = parent.children as usize;
        let mut paths = Vec::with_capacity(wanted);
        paths.extend(
            self.nodes.iter().map(|node| node.path).filter(|path| path.parent() == Some(parent.path)).take(wanted),
        );
        paths.sort_unstable_by(|a, b| order::listed(*a, *b));
        paths
    }
}
