//! Successors of a state, by table look-up.
//!
//! An engine belongs to one thread. It keeps what it has looked up in tables of its own, so that nothing is
//! locked on the way of a search; only values that are new to the world are interned under a lock.

mod calls;
mod info;
mod outcomes;
mod settle;
mod steps;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use self::calls::Called;
use self::info::{ClientInfo, HotClient, HotService, ServiceInfo};
pub(in crate::world) use self::outcomes::SharedOutcome;
use self::outcomes::{Events, Outcome};
use super::intern::Memo;
use super::reduce::Masks;
use super::step::Step;
use super::{MOST_CLIENTS, Reductions, World};
use crate::names::Who;

const UNKNOWN: u32 = u32::MAX;
pub(super) const WORDS: usize = 2 + MOST_CLIENTS;
/// The fields of a packed budget that process faults draw on: disconnects, crashes, restarts.
const PROCESS_FAULTS: u32 = 0xFFF0;
/// The fields of a packed budget that faults of the servers draw on: elections, resyncs.
const SERVER_FAULTS: u32 = 0xFF00_0000;

/// A state with room for the largest world.
pub(super) type Words = [u32; WORDS];

#[inline]
fn serve_key(zid: u32, cid: u32, slot: usize) -> u64 {
    u64::from(zid) << 32 | u64::from(cid) << 4 | slot as u64
}

#[inline]
fn end_key(zid: u32, session: Who, applied: bool) -> u64 {
    u64::from(zid) << 32 | u64::from(session) << 1 | u64::from(applied)
}

/// Work of an engine, for reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineStats {
    /// Steps that were worked out rather than looked up.
    pub computed: u64,
    /// Bytes of the tables.
    pub bytes: usize,
}

/// What a search is told of a step beside the state it leads to.
#[derive(Clone, Copy, Debug)]
pub struct StepFacts {
    /// The step.
    pub step: Step,
    /// Watch events that the step sent.
    pub notified: u8,
}

/// Works out successors for one thread.
#[derive(Debug)]
pub struct Engine<'w> {
    pub(super) world: &'w World,
    pub(super) reductions: Reductions,
    hot_clients: Vec<HotClient>,
    clients: Vec<Option<ClientInfo>>,
    hot_services: Vec<HotService>,
    services: Vec<Option<ServiceInfo>>,
    serve: Memo<Outcome>,
    reconnect: Memo<Outcome>,
    end: Memo<Outcome>,
    accept: Memo<Outcome>,
    commit: Memo<Outcome>,
    closing: Memo,
    events: Vec<Events>,
    renamings: Vec<Masks>,
    renamed_clients: Memo,
    /// The service alone decides which names there are, so that only steps that change it rename.
    names_follow_service: bool,
    /// Other engines work on the world at the same time, so that outcomes are worth sharing.
    shares: bool,
    /// There are stores.
    stores: bool,
    /// Calls and answers are kept.
    records: bool,
    width: usize,
    push: Memo,
    calls: Memo<Called>,
    answers: Memo,
    inner: Memo,
    local: Memo,
    simple: Memo,
    pub(super) renamed: FxHashMap<(u32, Masks), u32>,
    pub(super) renamed_services: FxHashMap<(u32, Masks), u32>,
    pub(super) permuted: FxHashMap<(u32, u64, bool), u32>,
    pub(super) mentions: FxHashMap<(u32, u8), u64>,
    /// Clients of one number are interchangeable.
    pub(super) groups: SmallVec<[u8; MOST_CLIENTS]>,
    mark_names: Vec<&'static str>,
    stats: EngineStats,
}

impl<'w> Engine<'w> {
    /// An engine over the world. Reductions that the world's programs do not allow are left out.
    pub fn new(world: &'w World, mut reductions: Reductions) -> Self {
        let naming = world.automaton.naming();
        reductions.renumber &= !naming.literal_numbers;
        reductions.symmetry &= !naming.literal_owners;
        reductions.forget_gone &= reductions.renumber && world.setup.calls_are_steps;
        // A history names clients by their places, and keeps the order of what a silent delivery would pass over.
        reductions.symmetry &= !world.setup.records;
        reductions.deliver_first &= !world.setup.records;
        let mut kinds = Vec::new();
        let groups = world.setup.clients.iter().map(|c| {
            let library = (c.resends_watches, c.server, c.roams, c.expires_locally);
            let kind = (c.program, c.victim, c.hit_while, library);
            let at = kinds.iter().position(|k| *k == kind).unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            });
            at as u8
        });
        Self {
            groups: groups.collect(),
            world,
            reductions,
            hot_clients: Vec::new(),
            clients: Vec::new(),
            hot_services: Vec::new(),
            services: Vec::new(),
            serve: Memo::default(),
            reconnect: Memo::default(),
            end: Memo::default(),
            accept: Memo::default(),
            commit: Memo::default(),
            closing: Memo::default(),
            events: Vec::new(),
            renamings: Vec::new(),
            renamed_clients: Memo::default(),
            names_follow_service: reductions.forget_gone && !world.setup.zxids && !world.setup.stores.any(),
            shares: false,
            stores: world.setup.stores.any(),
            records: world.setup.records,
            width: world.initial.len(),
            push: Memo::default(),
            calls: Memo::default(),
            answers: Memo::default(),
            inner: Memo::default(),
            local: Memo::default(),
            simple: Memo::default(),
            renamed: FxHashMap::default(),
            renamed_services: FxHashMap::default(),
            permuted: FxHashMap::default(),
            mentions: FxHashMap::default(),
            mark_names: Vec::new(),
            stats: EngineStats::default(),
        }
    }

    /// What the engine works out is kept for other threads too, and theirs is used.
    pub fn sharing(mut self) -> Self {
        self.shares = true;
        self
    }

    /// The world.
    pub fn world(&self) -> &'w World {
        self.world
    }

    /// The reductions in force.
    pub fn reductions(&self) -> Reductions {
        self.reductions
    }

    /// Work done.
    pub fn stats(&self) -> EngineStats {
        let small =
            [&self.answers, &self.inner, &self.push, &self.local, &self.simple, &self.closing, &self.renamed_clients];
        let large = [&self.serve, &self.reconnect, &self.end, &self.accept, &self.commit];
        let client = size_of::<Option<ClientInfo>>() + size_of::<HotClient>();
        let service = size_of::<Option<ServiceInfo>>() + size_of::<HotService>();
        let bytes = small.iter().map(|m| m.bytes()).sum::<usize>()
            + large.iter().map(|m| m.bytes()).sum::<usize>()
            + self.calls.bytes()
            + self.clients.len() * client
            + self.services.len() * service;
        EngineStats { bytes, ..self.stats }
    }

    /// The state at the start, in its canonical form.
    pub fn initial(&mut self) -> Vec<u32> {
        self.canonical(&self.world.initial)
    }

    /// The form of a state that stands for it under the reductions in force.
    pub fn canonical(&mut self, state: &[u32]) -> Vec<u32> {
        let mut words = [0; WORDS];
        words[..state.len()].copy_from_slice(state);
        self.settle(&mut words, state.len());
        words[..state.len()].to_vec()
    }

    /// Bit by which a mark's name is known to [`Engine::marked`].
    pub fn mark_bit(&mut self, name: &'static str) -> u32 {
        let at = self.mark_names.iter().position(|n| *n == name).unwrap_or_else(|| {
            self.mark_names.push(name);
            self.hot_clients.clear();
            self.clients.clear();
            self.mark_names.len() - 1
        });
        assert!(at < 32, "properties look at 32 different marks at most");
        1 << at
    }

    /// How many clients of the state carry a mark of those bits.
    #[inline]
    pub fn marked(&mut self, words: &[u32], bits: u32) -> usize {
        let mut count = 0;
        for &cid in &words[2..] {
            count += usize::from(self.hot_client(cid).marks & bits != 0);
        }
        count
    }

    /// Calls `emit` for every step that is enabled in the state, with the state it leads to. Answers how many of
    /// them are more than faults: a state without any is at rest.
    pub fn successors(&mut self, row: &[u32], mut emit: impl FnMut(&mut Self, StepFacts, &[u32])) -> usize {
        let n = row.len();
        let mut words = [0u32; WORDS];
        words[..n].copy_from_slice(row);
        let words = &words;
        self.each_step(words, n, &mut |engine, step| {
            let mut next = *words;
            let notified = engine.take_step(&mut next, step);
            engine.settle(&mut next, n);
            emit(engine, StepFacts { step, notified }, &next[..n]);
        })
    }
}
