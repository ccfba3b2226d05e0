//! Successors of a state, by table look-up.
//!
//! An engine belongs to one thread. It keeps what it has looked up in tables of its own, so that nothing is
//! locked on the way of a search; only values that are new to the world are interned under a lock.

mod info;
mod outcomes;
mod settle;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use self::info::{ClientInfo, HotClient, HotService, ServiceInfo};
pub(in crate::world) use self::outcomes::SharedOutcome;
use self::outcomes::{Events, Outcome, Simple};
use super::client::Link;
use super::intern::Memo;
use super::reduce::Masks;
use super::step::{Step, StepKind};
use super::{Budget, MOST_CLIENTS, Reductions, World};
use crate::names::{Who, slot_of, who};
use crate::program::{OpView, local_ops};

const UNKNOWN: u32 = u32::MAX;
pub(super) const WORDS: usize = 2 + MOST_CLIENTS;
/// The fields of a packed budget that process faults draw on: disconnects, crashes, restarts.
const PROCESS_FAULTS: u32 = 0xFFF0;

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
    closing: Memo,
    events: Vec<Events>,
    renamings: Vec<Masks>,
    renamed_clients: Memo,
    /// The service alone decides which names there are, so that only steps that change it rename.
    names_follow_service: bool,
    /// Other engines work on the world at the same time, so that outcomes are worth sharing.
    shares: bool,
    width: usize,
    push: Memo,
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
        let mut kinds: Vec<(u16, bool, bool)> = Vec::new();
        let groups = world.setup.clients.iter().map(|c| {
            let kind = (c.program, c.victim, c.resends_watches);
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
            closing: Memo::default(),
            events: Vec::new(),
            renamings: Vec::new(),
            renamed_clients: Memo::default(),
            names_follow_service: reductions.forget_gone && !world.setup.zxids,
            shares: false,
            width: world.initial.len(),
            push: Memo::default(),
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
        let small = [&self.push, &self.local, &self.simple, &self.closing, &self.renamed_clients];
        let large = [&self.serve, &self.reconnect, &self.end];
        let client = size_of::<Option<ClientInfo>>() + size_of::<HotClient>();
        let service = size_of::<Option<ServiceInfo>>() + size_of::<HotService>();
        let bytes = small.iter().map(|m| m.bytes()).sum::<usize>()
            + large.iter().map(|m| m.bytes()).sum::<usize>()
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
        let budget = Budget::unpack(words[0]);
        let service = self.hot_service(words[1]);
        let mut forced = 0;
        for slot in 0..n - 2 {
            let cid = words[2 + slot];
            let hot = self.hot_client(cid);
            forced += self.wire_steps(words, n, slot, service, hot, &mut emit);
            if hot.acts {
                forced += self.local_steps(words, n, slot, budget, &mut emit);
            }
            if words[0] & PROCESS_FAULTS != 0 && self.world.setup.clients[slot].victim {
                self.process_faults(words, n, slot, budget, &mut emit);
            }
        }
        forced += self.session_steps(words, n, budget, service, &mut emit);
        if budget.sweeps > 0 {
            for at in 0..service.containers {
                let mut next = *words;
                next[0] = Budget { sweeps: budget.sweeps - 1, ..budget }.pack();
                let notified = self.swept(words[1], at, &mut next);
                self.emit(Step::new(StepKind::Sweep, at as usize, 0), notified, &mut next, n, &mut emit);
            }
        }
        forced
    }

    #[inline]
    fn emit(
        &mut self,
        step: Step,
        notified: u8,
        next: &mut Words,
        n: usize,
        emit: &mut impl FnMut(&mut Self, StepFacts, &[u32]),
    ) {
        self.settle(next, n);
        emit(self, StepFacts { step, notified }, &next[..n]);
    }

    /// What may happen between a client and the server; answers how many of the steps are more than faults.
    #[inline]
    fn wire_steps(
        &mut self,
        words: &Words,
        n: usize,
        slot: usize,
        service: HotService,
        hot: HotClient,
        emit: &mut impl FnMut(&mut Self, StepFacts, &[u32]),
    ) -> usize {
        let cid = words[2 + slot];
        let calls_are_steps = self.world.setup.calls_are_steps;
        let alive = hot.session != 0 && (service.alive >> (4 * slot)) as u8 & 15 == hot.session;
        let mut forced = 0;
        if hot.incoming {
            forced += 1;
            let mut next = *words;
            next[2 + slot] = self.delivered(cid).0;
            self.emit(Step::new(StepKind::Deliver, slot, 0), 0, &mut next, n, emit);
        }
        let can_serve =
            hot.outgoing && hot.link == Link::Up && (!calls_are_steps || !hot.incoming && (hot.opens || alive));
        if can_serve {
            forced += 1;
            let mut next = *words;
            let outcome = self.served(words[1], cid, slot);
            next[2 + slot] = outcome.client;
            let notified = self.apply_outcome(outcome, &mut next);
            self.emit(Step::new(StepKind::Serve, slot, 0), notified, &mut next, n, emit);
        }
        if hot.link == Link::Down && !hot.incoming && !hot.crashed {
            forced += 1;
            let mut next = *words;
            let outcome = self.reconnected(words[1], cid, slot);
            next[2 + slot] = outcome.client;
            let notified = self.apply_outcome(outcome, &mut next);
            self.emit(Step::new(StepKind::Reconnect, slot, 0), notified, &mut next, n, emit);
        }
        if calls_are_steps && hot.session != 0 && hot.link == Link::Up && !alive {
            forced += 1;
            let mut next = *words;
            next[2 + slot] = self.simple(Simple::Notice, cid, slot);
            self.emit(Step::new(StepKind::Notice, slot, 0), 0, &mut next, n, emit);
        }
        forced
    }

    fn local_steps(
        &mut self,
        words: &Words,
        n: usize,
        slot: usize,
        budget: Budget,
        emit: &mut impl FnMut(&mut Self, StepFacts, &[u32]),
    ) -> usize {
        let cid = words[2 + slot];
        let info = self.client(cid);
        let interrupts = info.interrupts && budget.interrupts > 0;
        let local = info.local.clone();
        let mut forced = 0;
        for (pos, choices) in local {
            for value in 0..choices {
                forced += 1;
                let arg = u16::from(pos) | u16::from(value) << 8;
                let mut next = *words;
                next[2 + slot] = self.moved_by_itself(cid, arg);
                self.emit(Step::new(StepKind::Local, slot, arg), 0, &mut next, n, emit);
            }
        }
        if interrupts {
            let key = self.world.automaton.node(self.world.clients.get(cid).node);
            let interrupt = |(pos, op): (u8, &OpView)| (*op == OpView::Interrupt).then_some(pos);
            for pos in local_ops(key).filter_map(interrupt) {
                let mut next = *words;
                next[0] = Budget { interrupts: budget.interrupts - 1, ..budget }.pack();
                next[2 + slot] = self.moved_by_itself(cid, u16::from(pos));
                self.emit(Step::new(StepKind::Interrupt, slot, u16::from(pos)), 0, &mut next, n, emit);
            }
        }
        forced
    }

    fn process_faults(
        &mut self,
        words: &Words,
        n: usize,
        slot: usize,
        budget: Budget,
        emit: &mut impl FnMut(&mut Self, StepFacts, &[u32]),
    ) {
        let cid = words[2 + slot];
        let HotClient { link, crashed, over, .. } = self.hot_client(cid);
        if budget.disconnects > 0 && link == Link::Up && !over {
            let mut next = *words;
            next[0] = Budget { disconnects: budget.disconnects - 1, ..budget }.pack();
            next[2 + slot] = self.simple(Simple::Cut, cid, slot);
            self.disconnect(&mut next, slot, cid);
            self.emit(Step::new(StepKind::Cut, slot, 0), 0, &mut next, n, emit);
        }
        if budget.crashes > 0 && !crashed && !over {
            let mut next = *words;
            next[0] = Budget { crashes: budget.crashes - 1, ..budget }.pack();
            next[2 + slot] = self.simple(Simple::Crash, cid, slot);
            self.disconnect(&mut next, slot, cid);
            self.emit(Step::new(StepKind::Crash, slot, 0), 0, &mut next, n, emit);
        }
        if budget.restarts > 0 && crashed {
            let mut next = *words;
            next[0] = Budget { restarts: budget.restarts - 1, ..budget }.pack();
            let started = self.simple(Simple::Restart, cid, slot);
            next[2 + slot] = started;
            let session = self.hot_client(started).session as usize;
            if session != 0 {
                let mut service = self.world.services.get(next[1]).clone();
                service.open_session(who(slot, session));
                next[1] = self.world.services.intern(service);
            }
            self.emit(Step::new(StepKind::Restart, slot, 0), 0, &mut next, n, emit);
        }
    }

    #[inline]
    fn session_steps(
        &mut self,
        words: &Words,
        n: usize,
        budget: Budget,
        service: HotService,
        emit: &mut impl FnMut(&mut Self, StepFacts, &[u32]),
    ) -> usize {
        let mut forced = 0;
        if service.mixed {
            let sessions = self.service(words[1]).sessions.clone();
            for (session, closing) in sessions {
                forced += self.session_step(words, n, budget, session, closing, emit);
            }
            return forced;
        }
        for slot in 0..n - 2 {
            let index = (service.alive >> (4 * slot)) as u16 & 15;
            let hot = self.hot_client(words[2 + slot]);
            let current = hot.has(index) && !hot.crashed;
            if index != 0 && !(current && (budget.expiries == 0 || hot.over)) {
                forced += self.session_step(words, n, budget, who(slot, index as usize), false, emit);
            }
        }
        forced
    }

    /// What the server may do with a session; answers 1 when it is bound to do it some time.
    fn session_step(
        &mut self,
        words: &Words,
        n: usize,
        budget: Budget,
        session: Who,
        closing: bool,
        emit: &mut impl FnMut(&mut Self, StepFacts, &[u32]),
    ) -> usize {
        let slot = slot_of(session);
        let hot = self.hot_client(words[2 + slot]);
        let current = !hot.crashed && hot.has(session % 16);
        let mut next = *words;
        if closing {
            let up = current && hot.link == Link::Up;
            let notified = self.ended(words[1], session, up, &mut next);
            self.emit(Step::new(StepKind::Apply, slot, session), notified, &mut next, n, emit);
            return 1;
        }
        if current {
            let spared = hot.over || !self.world.setup.clients[slot].victim;
            if budget.expiries == 0 || spared {
                return 0;
            }
            next[0] = Budget { expiries: budget.expiries - 1, ..budget }.pack();
        }
        let mut notified = 0;
        if self.world.setup.calls_are_steps {
            notified = self.ended(words[1], session, false, &mut next);
            if self.reductions.forget_gone && current {
                next[2 + slot] = self.simple(Simple::ForgetNames, next[2 + slot], slot);
            }
        } else {
            next[1] = self.closing(words[1], session);
        }
        let kind = if current { StepKind::Expire } else { StepKind::Lapse };
        self.emit(Step::new(kind, slot, session), notified, &mut next, n, emit);
        usize::from(!current)
    }
}
