//! Setting a server up from outside, for scenarios and tests.

use overtake_recipes::CreateMode;

use super::ZooKeeper;
use super::tree::{Kind, Node};
use crate::names::Text;

/// What everybody may do with a node, as bits (§1.8).
pub mod permissions {
    /// Read the data and list the children.
    pub const READ: u8 = 1;
    /// Set the data.
    pub const WRITE: u8 = 2;
    /// Create children.
    pub const CREATE: u8 = 4;
    /// Delete children.
    pub const DELETE: u8 = 8;
    /// Change the permissions.
    pub const ADMIN: u8 = 16;
    /// All of them, as every node has them that was not told otherwise.
    pub const ALL: u8 = 31;
}

impl ZooKeeper {
    /// Puts a node into the tree and answers its path. Takes no zxid (the node bears the last one) and
    /// fires no watch, but is counted by its parent as any create is.
    ///
    /// # Panics
    /// When the mode is ephemeral, the node is there, or the parent is missing.
    pub fn seed_node(&mut self, path: Text, data: Option<Text>, mode: CreateMode) -> Text {
        let kind = match mode {
            CreateMode::Persistent | CreateMode::PersistentSequential => Kind::Persistent,
            CreateMode::Container => Kind::Container,
            CreateMode::Ephemeral | CreateMode::EphemeralSequential => {
                panic!("{path}: an ephemeral node needs a session to create it")
            }
        };
        let parent_path = path.parent().unwrap_or(path);
        let parent = self.seeded(parent_path);
        let path = if mode.is_sequential() { path.with_seq(self.nodes[parent].counter) } else { path };
        assert!(self.find(path).is_none(), "{path} is in the tree already");
        let zxid = self.last_zxid;
        let parent = &mut self.nodes[parent];
        parent.children += 1;
        parent.counter += 1;
        parent.pzxid = zxid;
        parent.sequential |= mode.is_sequential();
        self.insert(Node::new(path, data, kind, zxid));
        path
    }

    /// Sets the counter behind the sequential names of a node's children (Z130), which is a name from
    /// then on. Where numbers get renumbered, the last ones before the overflow are numbers like any others.
    ///
    /// # Panics
    /// When there is no such node.
    pub fn set_counter(&mut self, path: Text, value: i32) {
        let at = self.seeded(path);
        self.nodes[at].counter = value;
        self.nodes[at].sequential = true;
    }

    /// Sets the data version of a node (Z131).
    ///
    /// # Panics
    /// When there is no such node.
    pub fn set_version(&mut self, path: Text, value: i32) {
        let at = self.seeded(path);
        self.nodes[at].version = value;
    }

    /// Sets what everybody may do with a node (Z107, Z108).
    ///
    /// # Panics
    /// When there is no such node.
    pub fn set_permissions(&mut self, path: Text, permissions: u8) {
        let at = self.seeded(path);
        self.nodes[at].permissions = permissions;
    }

    fn seeded(&self, path: Text) -> usize {
        self.find(path).unwrap_or_else(|| panic!("{path} is not in the tree: seed its parents first"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    #[test]
    fn a_seeded_node_is_counted_like_a_created_one_but_takes_no_zxid() {
        let mut server = ZooKeeper::new(Config::default());
        let queue = server.seed_node(Text::new("/q"), None, CreateMode::Persistent);
        let data = Some(Text::new("first"));
        let prefix = Text::new("/q/n-");
        server.seed_node(prefix, data, CreateMode::PersistentSequential);
        let second = server.seed_node(prefix, None, CreateMode::PersistentSequential);
        assert_eq!(second, Text::new("/q/n-0000000001"));
        assert_eq!(server.counter(queue), 2);
        assert_eq!(server.children(queue), [prefix.with_seq(0), second]);
        assert_eq!(server.data(prefix.with_seq(0)), Some(data));
        assert_eq!(server.node(queue).unwrap().children, 2);
        assert_eq!(server.last_zxid(), 0);
    }

    #[test]
    #[should_panic(expected = "seed its parents first")]
    fn parents_are_seeded_first() {
        let mut server = ZooKeeper::new(Config::default());
        server.seed_node(Text::new("/q/n"), None, CreateMode::Persistent);
    }

    #[test]
    #[should_panic(expected = "needs a session")]
    fn nobody_owns_a_seeded_node() {
        let mut server = ZooKeeper::new(Config::default());
        server.seed_node(Text::new("/q"), None, CreateMode::Ephemeral);
    }
}
