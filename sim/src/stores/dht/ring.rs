//! Which node owns a key: consistent hashing by ketama (`semantics §6.5`).

use std::sync::{Arc, OnceLock};

use overtake_recipes::store::dht::Node;

use super::md5;
use crate::names::{LIMIT, Names, Text};

/// Which nodes are in a ring, as bits: two rings of the same nodes are one version.
pub type RingVersion = u16;

/// Most nodes of a table.
pub const MOST_NODES: u8 = 16;

/// How a table finds the owner of a key. Cheap to copy; clients have one of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ring {
    /// Keys that begin with the text are placed there, without hashing.
    placed: Arc<Vec<(String, Node)>>,
}

impl Ring {
    /// Keys that begin with `prefix` belong to `node` as long as it is in the ring, then to the next one.
    pub fn placed(mut self, prefix: &str, node: Node) -> Self {
        Arc::make_mut(&mut self.placed).push((prefix.to_owned(), node));
        self
    }

    /// The node that owns a key by a ring. With one node in the ring nothing is hashed, so that names inside of keys stay opaque.
    ///
    /// # Panics
    /// When the key would be hashed and holds a name: hashes tell names apart that a renaming makes one.
    pub fn owner(&self, version: RingVersion, key: &str) -> Node {
        if version.count_ones() <= 1 {
            return Node(if version == 0 { 0 } else { version.trailing_zeros() as u8 });
        }
        if let Some((_, node)) = self.placed.iter().find(|(prefix, _)| key.starts_with(prefix)) {
            let next = (0..MOST_NODES).map(|step| (node.0 + step) % MOST_NODES);
            return Node(next.into_iter().find(|node| has(version, *node)).expect("a node is in the ring"));
        }
        let mut names = 0;
        Text::new(key).names(&mut |_| names += 1);
        assert!(names == 0, "{LIMIT}the key {key:?} holds a name and cannot be hashed: place it with .placed(…)");
        owner_by_hash(version, key)
    }
}

/// Whether the node is in the ring.
pub fn has(version: RingVersion, node: u8) -> bool {
    version & 1 << node != 0
}

/// The ring of the first `nodes` nodes.
pub fn of(nodes: u8) -> RingVersion {
    (0..nodes).fold(0, |ring, node| ring | 1 << node)
}

/// The server string of a node.
pub fn server(node: u8) -> String {
    format!("node-{}:11211", node + 1)
}

/// The first point at the key or after it, wrapping.
fn owner_by_hash(version: RingVersion, key: &str) -> Node {
    let points = points();
    let hash = hash(key);
    let from = points.partition_point(|(point, _)| *point < hash);
    let around = points[from..].iter().chain(&points[..from]);
    Node(around.map(|(_, node)| *node).find(|node| has(version, *node)).expect("a node is in the ring"))
}

/// The place of a key: the first four bytes of its digest, the lowest first.
pub fn hash(key: &str) -> u32 {
    let digest = md5::digest(key.as_bytes());
    u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]])
}

/// The points of all nodes, sorted. A ring of some of them is this one without the others' points: that a node leaves moves no key
/// of another.
fn points() -> &'static [(u32, u8)] {
    static POINTS: OnceLock<Vec<(u32, u8)>> = OnceLock::new();
    POINTS.get_or_init(|| {
        let mut points: Vec<_> = (0..MOST_NODES)
            .flat_map(|node| points_of(&server(node)).into_iter().map(move |point| (point, node)))
            .collect();
        points.sort_unstable();
        points
    })
}

/// The 160 points of a server: 40 digests of four points each.
pub fn points_of(server: &str) -> Vec<u32> {
    (0..40)
        .flat_map(|part| {
            let digest = md5::digest(format!("{server}-{part}").as_bytes());
            let point = |at: usize| u32::from_le_bytes(digest[4 * at..4 * at + 4].try_into().expect("four bytes"));
            [point(0), point(1), point(2), point(3)]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_of_some_nodes_is_what_hashing_these_alone_gives() {
        let members = [1, 4, 6];
        let version = members.iter().fold(0, |ring, node| ring | 1 << node);
        let mut alone: Vec<_> =
            members.iter().flat_map(|node| points_of(&server(*node)).into_iter().map(|point| (point, *node))).collect();
        alone.sort_unstable();
        for n in 0..2000 {
            let key = format!("NewsItem#{n}");
            let at = alone.partition_point(|(point, _)| *point < hash(&key));
            assert_eq!(Ring::default().owner(version, &key).0, alone[at % alone.len()].1);
        }
    }

    #[test]
    fn a_placed_key_goes_to_the_next_node_when_its_own_is_gone() {
        let ring = Ring::default().placed("news", Node(1)).placed("old", Node(2));
        assert_eq!(ring.owner(of(3), "news of today"), Node(1));
        assert_eq!(ring.owner(0b101, "news of today"), Node(2));
        assert_eq!(ring.owner(0b011, "old"), Node(0));
    }

    #[test]
    fn one_node_owns_all_keys_whatever_names_they_hold() {
        let name = crate::names::unique_id(3);
        assert_eq!(Ring::default().owner(0b100, &name), Node(2));
    }

    #[test]
    #[should_panic(expected = "holds a name and cannot be hashed")]
    fn a_name_is_not_hashed() {
        Ring::default().owner(0b11, &crate::names::unique_id(3));
    }
}
