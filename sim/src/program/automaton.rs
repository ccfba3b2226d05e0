//! The table of nodes and edges, filled as the search asks for it.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use super::bind::{Bind, Item, Merged};
use super::history::{History, SPREAD, place_numbers};
use super::landing::{Landing, landing, restore, same_marks};
use super::node::{NodeKey, Obs, OpView};
use super::ops::Disguise;
use super::run::{RunSpec, run};
use super::{Program, ProgramError};
use crate::names::{Name, Names, PER_CLIENT, slot_of, who};
use crate::stores::Dht;

/// Number of a node.
pub type NodeId = u32;

/// Which names a program may only compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Naming {
    /// Sequence numbers and zxids are what they are, not just an order (the program reads them as numbers).
    pub literal_numbers: bool,
    /// Sessions and ids are what they are (the program orders by them), so clients are not interchangeable.
    pub literal_owners: bool,
    /// Timers keep their durations, so that a clock can let them run out.
    pub timed: bool,
    /// The seed of the pauses' jitter in virtual time; without one there is none (a timer may run out at any moment).
    pub jitter: Option<u64>,
    /// Nodes count requests since the last event.
    pub count_requests: bool,
    /// Checkpoints are ignored, so that a node is a whole history: for comparing with direct execution.
    pub ignore_checkpoints: bool,
}

/// Counters of the work done and the checks made.
#[derive(Debug, Default)]
pub struct AutomatonStats {
    /// Runs of a program from its start, those of the checks left out.
    pub runs: AtomicU64,
    /// Runs that were repeated with other numbers and compared.
    pub repeated: AtomicU64,
    /// Continuations of merged histories that were run side by side and compared.
    pub compared: AtomicU64,
}

pub(super) struct Node {
    pub key: NodeKey,
    /// Hash of the key: unlike the node's number the same in every run.
    print: u64,
    pub history: History,
    pub alternatives: Mutex<Vec<History>>,
    /// Observations whose edge is known, with the order they came in.
    pub known: Mutex<Vec<(EdgeKey, Arc<Edge>)>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct EdgeKey {
    node: NodeId,
    pub obs: Obs,
    /// Where the node's own names stand in the merged order.
    seq: SmallVec<[u8; 6]>,
    zxid: SmallVec<[u8; 2]>,
    new_seq: u8,
    new_zxid: u8,
    new_who: u8,
}

/// What an observation does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The next node.
    pub to: NodeId,
    /// Positions, among the operations of the next node, of the requests that were made.
    pub sent: SmallVec<[u8; 2]>,
    /// How many of the next node's last waits of its own (timers, work, choices …) are new.
    pub made: u8,
    /// Whether marks and outcome stayed as they were.
    pub silent: bool,
    pub(super) seq: SmallVec<[u8; 6]>,
    pub(super) zxid: SmallVec<[u8; 2]>,
    pub(super) who: SmallVec<[u8; 2]>,
}

/// Programs as a lazily filled table.
pub struct Automaton {
    programs: Vec<Program>,
    naming: Naming,
    restarts: bool,
    table: Option<Arc<Dht>>,
    pub(super) nodes: boxcar::Vec<Node>,
    by_key: Mutex<FxHashMap<NodeKey, NodeId>>,
    edges: RwLock<FxHashMap<EdgeKey, Arc<Edge>>>,
    error: OnceLock<ProgramError>,
    bytes: AtomicUsize,
    /// Work done so far.
    pub stats: AutomatonStats,
}

impl std::fmt::Debug for Automaton {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Automaton").field("nodes", &self.nodes.count()).finish_non_exhaustive()
    }
}

impl Automaton {
    /// A table for the programs, numbered in this order. `restarts`: whether one may be started again.
    pub fn new(programs: Vec<Program>, naming: Naming, restarts: bool) -> Self {
        Self {
            restarts,
            programs,
            naming,
            table: None,
            nodes: boxcar::Vec::new(),
            by_key: Mutex::default(),
            edges: RwLock::default(),
            error: OnceLock::new(),
            bytes: AtomicUsize::new(0),
            stats: AutomatonStats::default(),
        }
    }

    /// The hash table that the programs find owners of keys by.
    pub fn with_table(mut self, table: Option<Dht>) -> Self {
        self.table = table.map(Arc::new);
        self
    }

    /// The first rule that a program was caught breaking. Every later answer is worthless.
    pub fn error(&self) -> Option<&ProgramError> {
        self.error.get()
    }

    /// Records that a program was caught breaking a rule.
    pub fn fail(&self, error: ProgramError) {
        let _ = self.error.set(error);
    }

    /// The naming in use.
    pub fn naming(&self) -> Naming {
        self.naming
    }

    /// What a node holds, in its own numbering.
    pub fn node(&self, id: NodeId) -> &NodeKey {
        &self.nodes[id as usize].key
    }

    /// A hash of what the node holds: unlike its number the same in every run.
    pub fn print(&self, id: NodeId) -> u64 {
        self.nodes[id as usize].print
    }

    /// Number of nodes so far.
    pub fn len(&self) -> usize {
        self.nodes.count()
    }

    /// Bytes held, roughly: nodes with their histories, and edges.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether no program has been started.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the program finds a session open when it starts.
    pub fn starts_connected(&self, program: u16) -> bool {
        self.programs[program as usize].starts_connected()
    }

    /// The program's name.
    pub fn program_name(&self, program: u16) -> &str {
        self.programs[program as usize].name()
    }

    fn spec(&self, program: u16, slot: usize, born: u8, disguised: bool) -> RunSpec {
        let hidden = if disguised { 7 } else { 0 };
        RunSpec {
            program,
            slot,
            born,
            restarts: self.restarts,
            literal_owners: self.naming.literal_owners,
            count_requests: self.naming.count_requests,
            timed: self.naming.timed,
            jitter: self.naming.jitter,
            ignore_checkpoints: self.naming.ignore_checkpoints,
            disguise: Disguise {
                untracked_zxid: i64::from(hidden),
                cversion: (!self.naming.literal_numbers).then_some(hidden),
            },
        }
    }

    /// The node in which the program waits at its start, with the binding and the requests it made. `born` is the index
    /// of the session that it finds: higher in a second life.
    pub fn start(&self, program: u16, slot: usize, born: u8) -> (NodeId, Bind, SmallVec<[u8; 2]>) {
        let slot = if self.naming.literal_owners { slot } else { 0 };
        let spec = self.spec(program, slot, born, false);
        let start = || run(&self.programs[program as usize], spec, self.table.as_ref(), &[]);
        let end = start().and_then(|end| match start()? {
            again if again.key == end.key => Ok(end),
            again => Err(ProgramError::NotDeterministic {
                program: self.program_name(program).into(),
                observation: "its start".into(),
                first: end.key.to_string(),
                second: again.key.to_string(),
            }),
        });
        let end = match end {
            Ok(end) => end,
            Err(error) => {
                let _ = self.error.set(error);
                return (self.broken(program), Bind::default(), SmallVec::new());
            }
        };
        let empty = History { observations: vec![], seq: vec![], zxid: vec![], who: vec![] };
        let landing = landing(self.naming, end, slot, &[], &[], &[]);
        match landing {
            Ok(landing) => (self.intern(landing.key, empty).0, Bind::default(), landing.sent),
            Err(name) => {
                self.made_up(program, "its start", &name);
                (self.broken(program), Bind::default(), SmallVec::new())
            }
        }
    }

    /// Moves a client from node to node. `obs` names the world's numbers, the own client as [`OWN`](super::OWN).
    pub fn step(&self, node: NodeId, bind: &Bind, mut obs: Obs) -> (Bind, Arc<Edge>) {
        if self.naming.literal_numbers && self.naming.literal_owners {
            let key = self.edge_key(node, obs, &Merged::default());
            return (Bind::default(), self.edge(key));
        }
        let mut merged = Merged::new(bind, &mut obs);
        let mut literal = obs.clone();
        merged.encode(bind, &mut obs);
        if self.naming.literal_numbers {
            (merged.seq, merged.zxid) = (Vec::new(), Vec::new());
            restore(&mut obs, &mut literal, true);
        }
        if self.naming.literal_owners {
            merged.who.clear();
            restore(&mut obs, &mut literal, false);
        }
        let edge = self.edge(self.edge_key(node, obs, &merged));
        let seq = edge.seq.iter().map(|&i| match merged.seq[i as usize] {
            Item::Local(j) => bind.seq[j],
            Item::New(v) => v,
        });
        let zxid = edge.zxid.iter().map(|&i| match merged.zxid[i as usize] {
            Item::Local(j) => bind.zxid[j],
            Item::New(v) => v,
        });
        let bound = Bind {
            seq: seq.collect(),
            zxid: zxid.collect(),
            who: edge.who.iter().map(|&i| merged.who[i as usize]).collect(),
        };
        (bound, edge)
    }

    fn edge_key(&self, node: NodeId, obs: Obs, merged: &Merged) -> EdgeKey {
        fn places<T, const N: usize>(items: &[Item<T>]) -> (SmallVec<[u8; N]>, u8)
        where
            [u8; N]: smallvec::Array<Item = u8>,
        {
            let mut local: Vec<(usize, u8)> = Vec::new();
            for (at, item) in items.iter().enumerate() {
                if let Item::Local(j) = item {
                    local.push((*j, at as u8));
                }
            }
            local.sort_unstable();
            let new = (items.len() - local.len()) as u8;
            (local.into_iter().map(|(_, at)| at).collect(), new)
        }
        let (seq, new_seq) = places(&merged.seq);
        let (zxid, new_zxid) = places(&merged.zxid);
        let old_who = self.nodes[node as usize].history.who.len();
        let new_who = merged.who.len().saturating_sub(old_who) as u8;
        EdgeKey { node, obs, seq, zxid, new_seq, new_zxid, new_who }
    }

    fn edge(&self, key: EdgeKey) -> Arc<Edge> {
        if let Some(edge) = self.edges.read().expect("edge table").get(&key) {
            return edge.clone();
        }
        let node = &self.nodes[key.node as usize];
        let mut compared = 0;
        let edge = Arc::new(
            self.compute(node, &key)
                .map(|(edge, seen)| {
                    compared = seen;
                    edge
                })
                .unwrap_or_else(|error| {
                    let _ = self.error.set(error);
                    // The search ends as soon as it sees the error; until then this stands in.
                    Edge {
                        to: self.broken(node.key.program),
                        sent: SmallVec::new(),
                        made: 0,
                        silent: true,
                        seq: SmallVec::new(),
                        zxid: SmallVec::new(),
                        who: SmallVec::new(),
                    }
                }),
        );
        self.bytes.fetch_add(2 * size_of::<EdgeKey>() + size_of::<Edge>(), Ordering::Relaxed);
        node.known.lock().expect("known edges").push((key.clone(), edge.clone()));
        // Histories that came while the edge was being computed have not seen it yet.
        let late = node.alternatives.lock().expect("alternatives").get(compared..).unwrap_or_default().to_vec();
        for history in late {
            if let Err(error) = self.compare_known(node, &key, &edge, &history) {
                let _ = self.error.set(error);
            }
        }
        self.edges.write().expect("edge table").entry(key).or_insert(edge).clone()
    }

    /// A node that waits for nothing: what stands for a program that broke the rules.
    fn broken(&self, program: u16) -> NodeId {
        let key = NodeKey {
            program,
            slot: 0,
            born: 0,
            tasks: SmallVec::new(),
            suffix: Vec::new(),
            ops: Vec::new(),
            marks: SmallVec::new(),
            outcome: None,
            session: 0,
            dead: false,
            drawn: 0,
            since: 0,
            ring: 0,
        };
        let history = History { observations: vec![], seq: vec![], zxid: vec![], who: vec![] };
        self.intern(key, history).0
    }

    /// The edge, and how many other histories of the node it was compared with.
    fn compute(&self, node: &Node, key: &EdgeKey) -> Result<(Edge, usize), ProgramError> {
        let (landing, history) = self.follow(node, key, &node.history, false)?;
        self.stats.runs.fetch_add(1, Ordering::Relaxed);
        self.repeat(node, key, &landing)?;
        let others = node.alternatives.lock().expect("alternatives").clone();
        let compared = others.len();
        let others: Vec<History> =
            others.iter().map(|other| self.compare(node, key, other, &landing)).collect::<Result<_, _>>()?;
        let silent = landing.key.marks == node.key.marks && landing.key.outcome == node.key.outcome;
        let moved = |sources: &[u8], places: &[u8]| {
            // Marks may keep their rank while other names come and go; compare what they are bound to.
            sources.iter().map(|s| places.iter().position(|p| p == s)).collect::<Vec<_>>()
        };
        let silent =
            silent && (landing.key.marks.is_empty() || same_marks(node, &landing, &moved(&landing.seq, &key.seq)));
        let Landing { key: to, sent, made, seq, zxid, who } = landing;
        let (to, merged) = self.intern(to, history.clone());
        let edge = Edge { to, sent, made, silent, seq, zxid, who };
        let mut arrived: Vec<(NodeId, History)> = others.into_iter().map(|other| (to, other)).collect();
        if merged {
            arrived.push((to, history));
        }
        self.merge(arrived)?;
        Ok((edge, compared))
    }

    /// Runs a history of the node and one observation more.
    pub(super) fn follow(
        &self,
        node: &Node,
        key: &EdgeKey,
        history: &History,
        disguised: bool,
    ) -> Result<(Landing, History), ProgramError> {
        let (program, slot) = (node.key.program, node.key.slot as usize);
        let mut history = history.clone();
        let (seq, zxid);
        if self.naming.literal_numbers {
            (seq, zxid) = (Vec::new(), Vec::new());
        } else {
            let room = |h: &History| {
                let s = place_numbers(&h.seq, &key.seq, key.new_seq, &h.used(true))?;
                let z = place_numbers(&h.zxid, &key.zxid, key.new_zxid, &h.used(false))?;
                Some((s, z))
            };
            let numbers = room(&history).unwrap_or_else(|| {
                history = history.respread(self.naming, SPREAD, 0);
                room(&history).expect("there is room after spreading")
            });
            (seq, zxid) = numbers;
        }
        let mut slots = history.who.clone();
        if !self.naming.literal_owners {
            let free = history.slots().into_iter().max().unwrap_or(0) + 1;
            slots.extend(free..free + u16::from(key.new_who));
        }
        let mut obs = key.obs.clone();
        let naming = self.naming;
        obs.names(&mut |name| match name {
            Name::Seq(v) if !naming.literal_numbers => *v = seq[*v as usize] as i32,
            Name::Zxid(v) if !naming.literal_numbers && *v != 0 => *v = zxid[*v as usize - 1] as u32,
            Name::Who(w) if !naming.literal_owners => {
                let local = slot_of(*w);
                let global = if local == 0 { 0 } else { slots[local - 1] as usize };
                *w = who(global, (*w % PER_CLIENT) as usize);
            }
            _ => {}
        });
        history.observations.push(obs.clone());
        let spec = self.spec(program, slot, node.key.born, disguised);
        let end = run(&self.programs[program as usize], spec, self.table.as_ref(), &history.observations)?;
        let landing = landing(self.naming, end, slot, &seq, &zxid, &slots)
            .map_err(|name| self.made_up_error(program, &obs.to_string(), &name))?;
        history.seq = landing.seq.iter().map(|&i| seq[i as usize]).collect();
        history.zxid = landing.zxid.iter().map(|&i| zxid[i as usize]).collect();
        history.who = landing.who.iter().map(|&i| slots[i as usize]).collect();
        Ok((landing, history))
    }

    fn made_up_error(&self, program: u16, observation: &str, name: &str) -> ProgramError {
        ProgramError::LooksIntoNames {
            program: self.program_name(program).into(),
            observation: observation.into(),
            first: format!("use of the number {name}"),
            second:
                "nothing it had observed since its last checkpoint holds that number (a task that is spawned after a \
                     checkpoint must take one of its own first)"
                    .into(),
        }
    }

    fn made_up(&self, program: u16, observation: &str, name: &str) {
        let _ = self.error.set(self.made_up_error(program, observation, name));
    }

    fn intern(&self, key: NodeKey, history: History) -> (NodeId, bool) {
        let mut by_key = self.by_key.lock().expect("node table");
        if let Some(&id) = by_key.get(&key) {
            return (id, true);
        }
        let print = FxBuildHasher.hash_one(&key);
        let node = Node { print, key: key.clone(), history, alternatives: Mutex::default(), known: Mutex::default() };
        let id = self.nodes.push(node) as NodeId;
        by_key.insert(key, id);
        (id, false)
    }
}

/// Positions of the operations that the world can end by itself.
pub fn local_ops(key: &NodeKey) -> impl Iterator<Item = (u8, &OpView)> {
    key.ops.iter().enumerate().filter_map(|(i, op)| {
        matches!(op, OpView::Timer(_) | OpView::Work(_) | OpView::Choice(_) | OpView::Effect(_) | OpView::Interrupt)
            .then_some((i as u8, op))
    })
}
