//! A distributed hash table: nodes that know nothing of each other, and clients that know where a key belongs (`semantics §6`).
//!
//! An item that expires is dropped in a step of its own: the lazy expiry of a real server, which drops it when somebody looks, cannot
//! be told from that. A node that is lost answers no call and keeps what it has; one that starts again has nothing, and its versions
//! start again.

mod md5;
mod node;
pub mod ring;
mod rules;

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use overtake_recipes::StoreError;
use overtake_recipes::store::dht::{self as wire, Expiration, Node};
use overtake_recipes::store::{self as plain, Texts};

pub use self::node::{Item, NodeState};
pub use self::ring::{Ring, RingVersion};
use self::rules::Rules;
pub use self::rules::{Versions, exptime};
use super::value::{inside, outside};
use super::{Served, Service, Stores, Value};
use crate::names::{Name, Names, Text, Who, slot_of};
use crate::world::Fault;

/// A request.
pub type Request = wire::Request<Text>;
/// A response.
pub type Response = wire::Response<Text>;

/// What a batch of reads has read so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Progress(Vec<Option<wire::Item<Text>>>);

/// What may happen inside.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Inner {
    /// An item with an expiration expires.
    Expires(Node, Text),
    /// An item is dropped although it has not expired.
    IsEvicted(Node, Text),
    /// A node is lost.
    IsLost(Node),
    /// A lost node comes back with what it had.
    ComesBack(Node),
    /// A node starts again, empty.
    StartsAgain(Node),
}

/// The table.
///
/// ```
/// use overtake_sim::stores::Dht;
/// let table = Dht::seed(1).with("news", vec!["NewsItem#15", "NewsItem#16"]);
/// assert!(table.data("news").is_some());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dht {
    rules: Arc<Rules>,
    ring: Ring,
    nodes: Vec<NodeState>,
    /// By client, sorted; only where they are counted.
    calls: Vec<(Who, u8)>,
}

/// Rules and ring are the same all over a world.
impl Hash for Dht {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.nodes, &self.calls).hash(state);
    }
}

/// One node, by the seed's rules.
impl Default for Dht {
    fn default() -> Self {
        Self::seed(1)
    }
}

impl Dht {
    /// The API of the posts on distributed hash tables: UPDATE keeps the expiration.
    ///
    /// # Panics
    /// When there is no node, or more than [`ring::MOST_NODES`].
    pub fn seed(nodes: u8) -> Self {
        Self::new(nodes, Rules::SEED)
    }

    /// Memcached: UPDATE is `cas`, which replaces the expiration (M26); append and increment keep it; numbers do not fall below 0.
    ///
    /// # Panics
    /// When there is no node, or more than [`ring::MOST_NODES`].
    pub fn memcached(nodes: u8) -> Self {
        Self::new(nodes, Rules::MEMCACHED)
    }

    fn new(nodes: u8, rules: Rules) -> Self {
        assert!((1..=ring::MOST_NODES).contains(&nodes), "a table has 1 to {} nodes", ring::MOST_NODES);
        Self {
            rules: Arc::new(rules),
            ring: Ring::default(),
            nodes: vec![NodeState::default(); nodes.into()],
            calls: Vec::new(),
        }
    }

    fn ruled(mut self, change: impl FnOnce(&mut Rules)) -> Self {
        change(Arc::make_mut(&mut self.rules));
        self
    }

    /// UPDATE keeps the item's expiration unless it brings one, or replaces it in any case.
    pub fn update_keeps_expiration(self, keeps: bool) -> Self {
        self.ruled(|rules| rules.update_keeps = keeps)
    }

    /// A batch of reads is one step. Otherwise anything may happen between two of its keys.
    pub fn batches_at_once(self) -> Self {
        self.ruled(|rules| rules.batch_at_once = true)
    }

    /// A list may have so many elements. A SET of a larger one removes the old value (M38).
    pub fn largest_list(self, elements: usize) -> Self {
        self.ruled(|rules| rules.largest = Some(elements))
    }

    /// A node holds so many items; at that it drops the least recently used one (M46).
    pub fn capacity(self, items: usize) -> Self {
        self.ruled(|rules| rules.capacity = Some(items))
    }

    /// A node holds so many items; at that stores fail (memcached's `-M`, M47).
    pub fn capacity_without_eviction(self, items: usize) -> Self {
        self.ruled(|rules| (rules.capacity, rules.evicts) = (Some(items), false))
    }

    /// Clients hash keys again over the nodes that are there, each from when it learns of it. Otherwise they keep the ring.
    pub fn rehashing(self) -> Self {
        self.ruled(|rules| rules.rehashes = true)
    }

    /// Where versions come from.
    pub fn versions(self, versions: Versions) -> Self {
        self.ruled(|rules| rules.versions = versions)
    }

    /// Counts the calls of each client.
    pub fn counting_calls(self) -> Self {
        self.ruled(|rules| rules.counts = true)
    }

    /// Keys that begin with `prefix` belong to that node, without hashing. To be said before the contents.
    ///
    /// # Panics
    /// When something is stored already.
    pub fn placed(mut self, prefix: &str, node: u8) -> Self {
        assert!(self.nodes.iter().all(NodeState::is_fresh), "say where keys belong before they are stored");
        self.ring = self.ring.placed(prefix, Node(node));
        self
    }

    /// Stores an item that does not expire.
    pub fn with(self, key: &str, data: impl Into<plain::Value>) -> Self {
        self.stored(key, data.into(), Expiration::Never)
    }

    /// Stores an item that expires some time (after an hour, for those who look at the clock).
    pub fn with_expiring(self, key: &str, data: impl Into<plain::Value>) -> Self {
        self.stored(key, data.into(), Expiration::After(Duration::from_secs(3600)))
    }

    fn stored(mut self, key: &str, data: plain::Value, until: Expiration) -> Self {
        let node = self.owner(self.ring_version(), key);
        let (rules, key, data) = (Arc::clone(&self.rules), Text::new(key), inside(data));
        self.nodes[usize::from(node.0)]
            .store(&rules, key, &data, until)
            .expect("there is room for what it starts with");
        self
    }

    /// The newest ring. Clients that keep the ring never hear of another.
    pub fn ring_version(&self) -> RingVersion {
        let all = ring::of(self.nodes.len() as u8);
        let lost = |(at, node): (usize, &NodeState)| if node.is_lost() { 1 << at } else { 0 };
        let left = all & !self.nodes.iter().enumerate().map(lost).fold(0, |lost, node| lost | node);
        if self.rules.rehashes && left != 0 { left } else { all }
    }

    /// Whether there is another ring when nodes come and go.
    pub fn ring_changes(&self) -> bool {
        self.rules.rehashes && self.nodes.len() > 1
    }

    /// The node that owns a key by a ring.
    ///
    /// # Panics
    /// When the key would be hashed and holds a name.
    pub fn owner(&self, version: RingVersion, key: &str) -> Node {
        self.ring.owner(version, key)
    }

    /// How owners are found.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// The nodes, by number.
    pub fn nodes(&self) -> &[NodeState] {
        &self.nodes
    }

    /// All items, by node and key.
    pub fn items(&self) -> impl Iterator<Item = (Node, &Item)> {
        self.nodes.iter().zip(0..).flat_map(|(node, at)| node.items().iter().map(move |item| (Node(at), item)))
    }

    /// The item of a key at its owner by the newest ring, whether or not the node is lost.
    pub fn item(&self, key: &str) -> Option<&Item> {
        self.nodes[usize::from(self.owner(self.ring_version(), key).0)].item(Text::new(key))
    }

    /// The data of a key at its owner by the newest ring.
    pub fn data(&self, key: &str) -> Option<&Value> {
        self.item(key).map(|item| &item.data)
    }

    /// The data of a key at its owner by the newest ring, as programs see it.
    pub fn value(&self, key: &str) -> Option<plain::Value> {
        self.data(key).map(|data| outside(data.clone()))
    }

    /// How many calls the client at the slot has made; 0 where they are not counted.
    pub fn calls(&self, slot: usize) -> usize {
        self.calls.iter().filter(|(who, _)| slot_of(*who) == slot).map(|(_, calls)| usize::from(*calls)).sum()
    }

    fn count(&mut self, caller: Who) {
        match self.calls.binary_search_by_key(&caller, |(who, _)| *who) {
            Ok(at) => self.calls[at].1 = self.calls[at].1.saturating_add(1),
            Err(at) => self.calls.insert(at, (caller, 1)),
        }
    }
}

impl Service for Dht {
    type Request = Request;
    type Response = Response;
    type Progress = Progress;
    type Inner = Inner;

    fn serve(&mut self, caller: Who, request: &Request, progress: Option<&Progress>) -> Served<Response, Progress> {
        if self.rules.counts && progress.is_none() {
            self.count(caller);
        }
        let rules = Arc::clone(&self.rules);
        let node = self.nodes.get_mut(usize::from(request.node().0)).filter(|node| !node.is_lost());
        let Some(node) = node else { return Served::Done(Err(StoreError::Unavailable)) };
        match request {
            Request::GetMany(_, keys) if !rules.batch_at_once && !keys.is_empty() => {
                let mut read = progress.map(|read| read.0.clone()).unwrap_or_default();
                read.push(node.read_one(&rules, keys[read.len()]));
                match read.len() == keys.len() {
                    true => Served::Done(Ok(Response::Items(read))),
                    false => Served::Going(Progress(read)),
                }
            }
            _ => Served::Done(node.apply(&rules, request)),
        }
    }

    fn normalise(&mut self) {
        self.nodes.iter_mut().for_each(NodeState::normalise);
        self.calls.sort_unstable();
    }

    fn inner(&self) -> Vec<Inner> {
        let mut inner = Vec::new();
        for (node, at) in self.nodes.iter().zip(0..).map(|(node, at)| (node, Node(at))) {
            if node.is_lost() {
                inner.push(Inner::ComesBack(at));
                continue;
            }
            for item in node.items() {
                if item.until != Expiration::Never {
                    inner.push(Inner::Expires(at, item.key));
                }
                inner.push(Inner::IsEvicted(at, item.key));
            }
            inner.push(Inner::IsLost(at));
            if !node.is_fresh() {
                inner.push(Inner::StartsAgain(at));
            }
        }
        inner
    }

    fn fault(inner: &Inner) -> Option<Fault> {
        Some(match inner {
            Inner::Expires(..) => Fault::KeyExpiry,
            Inner::IsEvicted(..) => Fault::Eviction,
            Inner::IsLost(_) => Fault::NodeLoss,
            Inner::ComesBack(_) => Fault::NodeReturn,
            Inner::StartsAgain(_) => Fault::NodeRestart,
        })
    }

    fn take(&mut self, inner: &Inner) {
        let (Inner::Expires(node, _)
        | Inner::IsEvicted(node, _)
        | Inner::IsLost(node)
        | Inner::ComesBack(node)
        | Inner::StartsAgain(node)) = inner;
        let node = &mut self.nodes[usize::from(node.0)];
        match inner {
            Inner::Expires(_, key) | Inner::IsEvicted(_, key) => {
                node.remove(*key);
            }
            Inner::IsLost(_) => node.lose(),
            Inner::ComesBack(_) => node.come_back(),
            Inner::StartsAgain(_) => node.restart(),
        }
    }

    fn describe(&self, inner: &Inner) -> String {
        let at = |node: &Node| if self.nodes.len() == 1 { String::new() } else { format!(" at node {}", node.0 + 1) };
        match inner {
            Inner::Expires(node, key) => format!("{} expires{}", key.short(), at(node)),
            Inner::IsEvicted(node, key) => format!("{} is evicted{}", key.short(), at(node)),
            Inner::IsLost(node) => format!("node {} is lost", node.0 + 1),
            Inner::ComesBack(node) => format!("node {} comes back with what it had", node.0 + 1),
            Inner::StartsAgain(node) => format!("node {} starts again, empty", node.0 + 1),
        }
    }
}

impl Names for Dht {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        self.nodes.names(visit);
        for (who, _) in &mut self.calls {
            visit(Name::Who(who));
        }
    }
}

impl Names for Progress {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        self.0.iter_mut().flatten().for_each(|item| item.texts(&mut |text| text.names(visit)));
    }
}

/// A world with this hash table and no other store.
impl From<Dht> for Stores {
    fn from(dht: Dht) -> Self {
        Stores { dht: Some(dht), ..Stores::default() }
    }
}
