//! Successors of a state, by table look-up.
//!
//! An engine belongs to one thread. It keeps what it has looked up in tables of its own, so that nothing is
//! locked on the way of a search; only values that are new to the world are interned under a lock.

use overtake_recipes::SessionState;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::client::{CRASHED, Client, Frame, Link};
use super::intern::Memo;
use super::reduce::{Masks, highest_is_dense, is_dense};
use super::step::{Step, StepKind};
use super::{Budget, MOST_CLIENTS, Reductions, Served, World};
use crate::names::{GONE, Name, Names, Who, slot_of};
use crate::program::{OpView, local_ops};
use crate::zookeeper::Notification;

const UNKNOWN: u32 = u32::MAX;
const WORDS: usize = 2 + MOST_CLIENTS;

/// What an engine needs of a client's value, at a glance.
#[derive(Clone, Debug)]
pub(super) struct ClientInfo {
    pub masks: Masks,
    pub foreign: u16,
    pub sort_key: u64,
    link: Link,
    /// Index of the library's session, 0 for none.
    session: u8,
    incoming: bool,
    outgoing: bool,
    /// The oldest request opens a session.
    opens: bool,
    over: bool,
    crashed: bool,
    deliver: u32,
    deliver_silent: bool,
    /// Nothing but deliveries can move the program.
    only_deliveries: bool,
    interrupts: bool,
    local: SmallVec<[(u8, u8); 2]>,
    marks: u32,
}

/// What an engine needs of a service's value.
#[derive(Clone, Debug)]
pub(super) struct ServiceInfo {
    pub masks: Masks,
    /// Known sessions, and whether they are closing.
    sessions: SmallVec<[(Who, bool); 8]>,
    pub views: SmallVec<[u64; 8]>,
    containers: u8,
}

/// What a step that involves the service gives.
#[derive(Clone, Debug)]
struct Outcome {
    service: u32,
    client: u32,
    events: SmallVec<[(u8, u8, u32); 4]>,
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
    clients: Vec<Option<ClientInfo>>,
    services: Vec<Option<ServiceInfo>>,
    serve: Memo,
    reconnect: Memo,
    end: Memo,
    outcomes: Vec<Outcome>,
    push: Memo,
    local: Memo,
    simple: Memo,
    pub(super) renamed: FxHashMap<(u32, Masks), u32>,
    pub(super) renamed_services: FxHashMap<(u32, Masks), u32>,
    pub(super) permuted: FxHashMap<(u32, u64, bool), u32>,
    groups: SmallVec<[u8; MOST_CLIENTS]>,
    mark_names: Vec<&'static str>,
    stats: EngineStats,
}

/// Changes of a client that depend on nothing else.
#[derive(Clone, Copy)]
enum Simple {
    Cut,
    Crash,
    Restart,
    Closed,
    Notice,
    ForgetNames,
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
            clients: Vec::new(),
            services: Vec::new(),
            serve: Memo::default(),
            reconnect: Memo::default(),
            end: Memo::default(),
            outcomes: Vec::new(),
            push: Memo::default(),
            local: Memo::default(),
            simple: Memo::default(),
            renamed: FxHashMap::default(),
            renamed_services: FxHashMap::default(),
            permuted: FxHashMap::default(),
            mark_names: Vec::new(),
            stats: EngineStats::default(),
        }
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
        let memos = [
            &self.serve,
            &self.reconnect,
            &self.end,
            &self.push,
            &self.local,
            &self.simple,
        ];
        let bytes = memos.iter().map(|m| m.bytes()).sum::<usize>()
            + self.outcomes.len() * size_of::<Outcome>()
            + self.clients.len() * size_of::<Option<ClientInfo>>()
            + self.services.len() * size_of::<Option<ServiceInfo>>();
        EngineStats {
            bytes,
            ..self.stats
        }
    }

    /// The state at the start, in its canonical form.
    pub fn initial(&mut self) -> Vec<u32> {
        let mut words = [0; WORDS];
        let n = self.world.initial.len();
        words[..n].copy_from_slice(&self.world.initial);
        self.settle(&mut words, n);
        words[..n].to_vec()
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
        let at = self
            .mark_names
            .iter()
            .position(|n| *n == name)
            .unwrap_or_else(|| {
                self.mark_names.push(name);
                self.clients.clear();
                self.mark_names.len() - 1
            });
        1 << at
    }

    /// How many clients of the state carry a mark of those bits.
    #[inline]
    pub fn marked(&mut self, words: &[u32], bits: u32) -> usize {
        let mut count = 0;
        for &cid in &words[2..] {
            count += usize::from(self.client(cid).marks & bits != 0);
        }
        count
    }

    #[inline]
    pub(super) fn client(&mut self, cid: u32) -> &ClientInfo {
        if self.clients.get(cid as usize).is_none_or(Option::is_none) {
            self.look_at_client(cid);
        }
        self.clients[cid as usize].as_ref().expect("just looked at")
    }

    #[cold]
    fn look_at_client(&mut self, cid: u32) {
        let world = self.world;
        let client = world.clients.get(cid);
        let (masks, foreign, sort_key) = self.client_masks(client);
        let key = client.key(&world.automaton);
        let mut local = SmallVec::new();
        let (mut interrupts, mut waits) = (false, false);
        for (pos, op) in key.iter().flat_map(|key| local_ops(key)) {
            match op {
                OpView::Interrupt => interrupts = true,
                OpView::Choice(n) => {
                    waits = true;
                    local.push((pos, *n));
                }
                _ => {
                    waits = true;
                    local.push((pos, 1));
                }
            }
        }
        let mark = |name: &&str| key.is_some_and(|key| key.mark(name).is_some());
        let marks = self
            .mark_names
            .iter()
            .enumerate()
            .filter(|(_, n)| mark(n))
            .map(|(i, _)| 1 << i)
            .sum();
        let info = ClientInfo {
            masks,
            foreign,
            sort_key,
            link: client.link,
            session: (client.session % 16) as u8,
            incoming: !client.incoming.is_empty(),
            outgoing: !client.out.is_empty(),
            opens: matches!(
                client.out.first(),
                Some(crate::zookeeper::Request::OpenSession)
            ),
            over: client.is_over(&world.automaton),
            crashed: client.node == CRASHED,
            deliver: UNKNOWN,
            deliver_silent: false,
            only_deliveries: !waits,
            interrupts,
            local,
            marks,
        };
        if self.clients.len() <= cid as usize {
            self.clients.resize(cid as usize + 1, None);
        }
        self.clients[cid as usize] = Some(info);
    }

    #[inline]
    pub(super) fn service(&mut self, zid: u32) -> &ServiceInfo {
        if self.services.get(zid as usize).is_none_or(Option::is_none) {
            let service = self.world.services.get(zid);
            let sessions = service
                .sessions()
                .map(|s| (s, service.is_closing(s)))
                .collect();
            let info = ServiceInfo {
                masks: self.service_masks(service),
                sessions,
                views: self.service_views(service),
                containers: service.sweepable().len() as u8,
            };
            if self.services.len() <= zid as usize {
                self.services.resize(zid as usize + 1, None);
            }
            self.services[zid as usize] = Some(info);
        }
        self.services[zid as usize]
            .as_ref()
            .expect("just looked at")
    }

    /// Calls `emit` for every step that is enabled in the state, with the state it leads to. Answers how many of
    /// them are more than faults: a state without any is at rest.
    pub fn successors(
        &mut self,
        words: &[u32],
        mut emit: impl FnMut(&mut Self, StepFacts, &[u32]),
    ) -> usize {
        let n = words.len();
        let budget = Budget::unpack(words[0]);
        let mut next = [0u32; WORDS];
        let mut forced = 0;
        for slot in 0..n - 2 {
            let cid = words[2 + slot];
            let info = self.client(cid);
            let (link, incoming, outgoing, over) =
                (info.link, info.incoming, info.outgoing, info.over);
            let (opens, crashed, session) = (info.opens, info.crashed, info.session);
            if incoming {
                forced += 1;
                next[..n].copy_from_slice(words);
                next[2 + slot] = self.delivered(cid).0;
                self.emit(
                    Step::new(StepKind::Deliver, slot, 0),
                    0,
                    &mut next,
                    n,
                    &mut emit,
                );
            }
            let can_serve = outgoing
                && link == Link::Up
                && (!self.world.setup.calls_are_steps
                    || !incoming && (opens || self.is_alive(words[1], slot, session)));
            if can_serve {
                forced += 1;
                next[..n].copy_from_slice(words);
                let at = self.served(words[1], cid, slot);
                next[2 + slot] = self.outcomes[at].client;
                let notified = self.apply_outcome(at, &mut next);
                self.emit(
                    Step::new(StepKind::Serve, slot, 0),
                    notified,
                    &mut next,
                    n,
                    &mut emit,
                );
            }
            forced += self.local_steps(words, slot, budget, &mut emit);
            if link == Link::Down && !incoming && !crashed {
                forced += 1;
                next[..n].copy_from_slice(words);
                let at = self.reconnected(words[1], cid, slot);
                next[2 + slot] = self.outcomes[at].client;
                let notified = self.apply_outcome(at, &mut next);
                self.emit(
                    Step::new(StepKind::Reconnect, slot, 0),
                    notified,
                    &mut next,
                    n,
                    &mut emit,
                );
            }
            if self.world.setup.calls_are_steps
                && session != 0
                && link == Link::Up
                && !self.is_alive(words[1], slot, session)
            {
                forced += 1;
                next[..n].copy_from_slice(words);
                next[2 + slot] = self.simple(Simple::Notice, cid, slot);
                self.emit(
                    Step::new(StepKind::Notice, slot, 0),
                    0,
                    &mut next,
                    n,
                    &mut emit,
                );
            }
            if self.world.setup.clients[slot].victim {
                self.process_faults(words, slot, budget, over, &mut emit);
            }
        }
        forced += self.session_steps(words, budget, &mut emit);
        if budget.sweeps > 0 {
            for at in 0..self.service(words[1]).containers {
                next[..n].copy_from_slice(words);
                next[0] = Budget {
                    sweeps: budget.sweeps - 1,
                    ..budget
                }
                .pack();
                let notified = self.swept(words[1], at, &mut next);
                self.emit(
                    Step::new(StepKind::Sweep, at as usize, 0),
                    notified,
                    &mut next,
                    n,
                    &mut emit,
                );
            }
        }
        forced
    }

    #[inline]
    fn emit(
        &mut self,
        step: Step,
        notified: u8,
        next: &mut [u32; WORDS],
        n: usize,
        emit: &mut impl FnMut(&mut Self, StepFacts, &[u32]),
    ) {
        self.settle(next, n);
        emit(self, StepFacts { step, notified }, &next[..n]);
    }

    fn local_steps(
        &mut self,
        words: &[u32],
        slot: usize,
        budget: Budget,
        emit: &mut impl FnMut(&mut Self, StepFacts, &[u32]),
    ) -> usize {
        let (cid, n) = (words[2 + slot], words.len());
        let info = self.client(cid);
        let interrupts = info.interrupts && budget.interrupts > 0;
        if info.local.is_empty() && !interrupts {
            return 0;
        }
        let local = info.local.clone();
        let mut next = [0u32; WORDS];
        let mut forced = 0;
        for (pos, choices) in local {
            for value in 0..choices {
                forced += 1;
                let arg = u16::from(pos) | u16::from(value) << 8;
                next[..n].copy_from_slice(words);
                next[2 + slot] = self.moved_by_itself(cid, arg);
                self.emit(Step::new(StepKind::Local, slot, arg), 0, &mut next, n, emit);
            }
        }
        if interrupts {
            let key = self.world.automaton.node(self.world.clients.get(cid).node);
            let places: SmallVec<[u8; 2]> = local_ops(key)
                .filter(|(_, op)| **op == OpView::Interrupt)
                .map(|(pos, _)| pos)
                .collect();
            for pos in places {
                next[..n].copy_from_slice(words);
                next[0] = Budget {
                    interrupts: budget.interrupts - 1,
                    ..budget
                }
                .pack();
                next[2 + slot] = self.moved_by_itself(cid, u16::from(pos));
                self.emit(
                    Step::new(StepKind::Interrupt, slot, u16::from(pos)),
                    0,
                    &mut next,
                    n,
                    emit,
                );
            }
        }
        forced
    }

    fn process_faults(
        &mut self,
        words: &[u32],
        slot: usize,
        budget: Budget,
        over: bool,
        emit: &mut impl FnMut(&mut Self, StepFacts, &[u32]),
    ) {
        let (cid, n) = (words[2 + slot], words.len());
        let info = self.client(cid);
        let (link, crashed) = (info.link, info.crashed);
        let mut next = [0u32; WORDS];
        if budget.disconnects > 0 && link == Link::Up && !over {
            next[..n].copy_from_slice(words);
            next[0] = Budget {
                disconnects: budget.disconnects - 1,
                ..budget
            }
            .pack();
            next[2 + slot] = self.simple(Simple::Cut, cid, slot);
            self.disconnect(&mut next, slot, cid);
            self.emit(Step::new(StepKind::Cut, slot, 0), 0, &mut next, n, emit);
        }
        if budget.crashes > 0 && !crashed && !over {
            next[..n].copy_from_slice(words);
            next[0] = Budget {
                crashes: budget.crashes - 1,
                ..budget
            }
            .pack();
            next[2 + slot] = self.simple(Simple::Crash, cid, slot);
            self.disconnect(&mut next, slot, cid);
            self.emit(Step::new(StepKind::Crash, slot, 0), 0, &mut next, n, emit);
        }
        if budget.restarts > 0 && crashed {
            next[..n].copy_from_slice(words);
            next[0] = Budget {
                restarts: budget.restarts - 1,
                ..budget
            }
            .pack();
            let started = self.simple(Simple::Restart, cid, slot);
            next[2 + slot] = started;
            let session = crate::names::who(slot, self.client(started).session as usize);
            let mut service = self.world.services.get(next[1]).clone();
            service.open_session(session);
            next[1] = self.world.services.intern(service);
            self.emit(Step::new(StepKind::Restart, slot, 0), 0, &mut next, n, emit);
        }
    }

    /// The server forgets what the connection watched.
    fn disconnect(&mut self, next: &mut [u32; WORDS], slot: usize, cid: u32) {
        let session = self.client(cid).session;
        if session != 0 {
            let mut service = self.world.services.get(next[1]).clone();
            service.disconnect(crate::names::who(slot, session as usize));
            next[1] = self.world.services.intern(service);
        }
    }

    fn session_steps(
        &mut self,
        words: &[u32],
        budget: Budget,
        emit: &mut impl FnMut(&mut Self, StepFacts, &[u32]),
    ) -> usize {
        let n = words.len();
        let sessions = self.service(words[1]).sessions.clone();
        let mut next = [0u32; WORDS];
        let mut forced = 0;
        for (session, closing) in sessions {
            let slot = slot_of(session);
            let info = self.client(words[2 + slot]);
            let current = !info.crashed && u16::from(info.session) == session % 16;
            let (over, up) = (info.over && current, current && info.link == Link::Up);
            if closing {
                forced += 1;
                next[..n].copy_from_slice(words);
                let notified = self.ended(words[1], session, up, &mut next);
                self.emit(
                    Step::new(StepKind::Apply, slot, session),
                    notified,
                    &mut next,
                    n,
                    emit,
                );
                continue;
            }
            let (kind, allowed) = if current {
                (
                    StepKind::Expire,
                    budget.expiries > 0 && !over && self.world.setup.clients[slot].victim,
                )
            } else {
                (StepKind::Lapse, true)
            };
            if !allowed {
                continue;
            }
            forced += usize::from(kind == StepKind::Lapse);
            next[..n].copy_from_slice(words);
            if kind == StepKind::Expire {
                next[0] = Budget {
                    expiries: budget.expiries - 1,
                    ..budget
                }
                .pack();
            }
            let mut notified = 0;
            if self.world.setup.calls_are_steps {
                notified = self.ended(words[1], session, false, &mut next);
                if self.reductions.forget_gone && current {
                    next[2 + slot] = self.simple(Simple::ForgetNames, next[2 + slot], slot);
                }
            } else {
                let key = u64::from(words[1]) << 32 | u64::from(session) << 1;
                next[1] = match self.end.get(key) {
                    Some(zid) => zid,
                    None => {
                        let mut service = self.world.services.get(words[1]).clone();
                        service.begin_expiry(session);
                        let zid = self.world.services.intern(service);
                        self.end.insert(key, zid);
                        zid
                    }
                };
            }
            self.emit(Step::new(kind, slot, session), notified, &mut next, n, emit);
        }
        forced
    }

    /// Applies the end of a session to `next`; the client that has it on an open connection is told.
    fn ended(&mut self, zid: u32, session: Who, up: bool, next: &mut [u32; WORDS]) -> u8 {
        let slot = slot_of(session);
        let key = u64::from(zid) << 32 | u64::from(session) << 1 | 1;
        let at = match self.end.get(key) {
            Some(at) => at as usize,
            None => {
                let (service, events) = self
                    .world
                    .end_session(self.world.services.get(zid), session);
                let at = self.keep(service, None, &events);
                self.end.insert(key, at as u32);
                at
            }
        };
        if up {
            next[2 + slot] = self.simple(Simple::Closed, next[2 + slot], slot);
        }
        self.apply_outcome(at, next)
    }

    fn swept(&mut self, zid: u32, at: u8, next: &mut [u32; WORDS]) -> u8 {
        let mut service = self.world.services.get(zid).clone();
        let path = service.sweepable()[at as usize];
        let mut events = Vec::new();
        service.sweep_container(path, &mut events);
        let at = self.keep(service, None, &events);
        self.apply_outcome(at, next)
    }

    #[inline]
    fn is_alive(&mut self, zid: u32, slot: usize, session: u8) -> bool {
        let wanted = crate::names::who(slot, session as usize);
        session != 0
            && self
                .service(zid)
                .sessions
                .iter()
                .any(|(s, closing)| *s == wanted && !closing)
    }

    /// The client after the delivery of its oldest frame, and whether nobody outside can tell.
    #[inline]
    pub(super) fn delivered(&mut self, cid: u32) -> (u32, bool) {
        let info = self.client(cid);
        if info.deliver != UNKNOWN {
            return (info.deliver, info.deliver_silent);
        }
        self.stats.computed += 1;
        let mut client = self.world.clients.get(cid).clone();
        let moved = client.deliver(&self.world.automaton);
        let to = self.world.clients.intern(client);
        self.client(cid);
        let info = self.clients[cid as usize].as_mut().expect("looked at");
        (info.deliver, info.deliver_silent) = (to, moved.silent);
        (to, moved.silent)
    }

    /// Whether the oldest frame of the client may be delivered before anything else happens: nobody outside
    /// can tell, nothing of the client's own competes with it, and no fault can take it off the wire.
    #[inline]
    pub(super) fn may_go_first(&mut self, cid: u32, budget: Budget) -> bool {
        let info = self.client(cid);
        info.incoming
            && info.only_deliveries
            && !(info.interrupts && budget.interrupts > 0)
            && budget.disconnects == 0
            && budget.crashes == 0
            && self.delivered(cid).1
    }

    fn moved_by_itself(&mut self, cid: u32, arg: u16) -> u32 {
        let key = u64::from(cid) << 16 | u64::from(arg);
        if let Some(to) = self.local.get(key) {
            return to;
        }
        self.stats.computed += 1;
        let mut client = self.world.clients.get(cid).clone();
        let (pos, value) = ((arg & 0xFF) as u8, (arg >> 8) as u8);
        let node = self.world.automaton.node(client.node);
        let obs = match node.ops[pos as usize] {
            OpView::Choice(_) => crate::program::Obs::Choice(pos, value),
            _ => crate::program::Obs::Fire(pos),
        };
        client.observe(&self.world.automaton, obs);
        let to = self.world.clients.intern(client);
        self.local.insert(key, to);
        to
    }

    fn simple(&mut self, kind: Simple, cid: u32, slot: usize) -> u32 {
        let slot_matters = matches!(kind, Simple::Restart);
        let key =
            u64::from(cid) << 16 | (kind as u64) << 8 | if slot_matters { slot as u64 } else { 0 };
        if let Some(to) = self.simple.get(key) {
            return to;
        }
        self.stats.computed += 1;
        let world = self.world;
        let mut client = world.clients.get(cid).clone();
        match kind {
            Simple::Cut => client.cut(),
            Simple::Closed => client.closed_by_server(),
            Simple::Crash => {
                client = Client {
                    node: CRASHED,
                    bind: Default::default(),
                    link: Link::Off,
                    session: 0,
                    sessions: client.sessions,
                    out: SmallVec::new(),
                    incoming: SmallVec::new(),
                    last_zxid: 0,
                };
            }
            Simple::Restart => {
                let program = world.setup.clients[slot].program;
                client = Client::start(&world.automaton, program, slot, client.sessions + 1);
            }
            Simple::Notice => {
                client.incoming.clear();
                client.receive_session(&world.automaton, SessionState::Expired);
            }
            Simple::ForgetNames => client.names(&mut |name| {
                if let Name::Seq(v) = name {
                    *v = GONE;
                }
            }),
        }
        let to = world.clients.intern(client);
        self.simple.insert(key, to);
        to
    }

    fn served(&mut self, zid: u32, cid: u32, slot: usize) -> usize {
        let key = u64::from(zid) << 32 | u64::from(cid) << 4 | slot as u64;
        if let Some(at) = self.serve.get(key) {
            return at as usize;
        }
        let world = self.world;
        let served = world.serve(world.services.get(zid), world.clients.get(cid), slot);
        let at = self.keep_served(served);
        self.serve.insert(key, at as u32);
        at
    }

    fn reconnected(&mut self, zid: u32, cid: u32, slot: usize) -> usize {
        let key = u64::from(zid) << 32 | u64::from(cid) << 4 | slot as u64;
        if let Some(at) = self.reconnect.get(key) {
            return at as usize;
        }
        let world = self.world;
        let served = world.reconnect(world.services.get(zid), world.clients.get(cid), slot);
        let at = self.keep_served(served);
        self.reconnect.insert(key, at as u32);
        at
    }

    fn keep_served(&mut self, served: Served) -> usize {
        let Served {
            service,
            client,
            events,
        } = served;
        self.keep(service, Some(client), &events)
    }

    fn keep(
        &mut self,
        service: crate::zookeeper::ZooKeeper,
        client: Option<Client>,
        events: &[Notification],
    ) -> usize {
        self.stats.computed += 1;
        let world = self.world;
        let frames = events.iter().map(|event| {
            let slot = slot_of(event.session);
            let mut frame = Frame::Event(event.kind, event.path);
            world.own_names(&mut frame, slot, true);
            (
                slot as u8,
                (event.session % 16) as u8,
                world.frames.intern(frame),
            )
        });
        let outcome = Outcome {
            events: frames.collect(),
            service: world.services.intern(service),
            client: client.map_or(UNKNOWN, |c| world.clients.intern(c)),
        };
        self.outcomes.push(outcome);
        self.outcomes.len() - 1
    }

    /// Puts the service and the events of an outcome into the state; answers how many events there were.
    #[inline]
    fn apply_outcome(&mut self, at: usize, next: &mut [u32; WORDS]) -> u8 {
        next[1] = self.outcomes[at].service;
        let count = self.outcomes[at].events.len();
        for i in 0..count {
            let (slot, session, frame) = self.outcomes[at].events[i];
            let place = 2 + slot as usize;
            let info = self.client(next[place]);
            if info.session == session && info.link == Link::Up {
                next[place] = self.pushed(next[place], frame);
            }
        }
        count as u8
    }

    #[inline]
    fn pushed(&mut self, cid: u32, frame: u32) -> u32 {
        let key = u64::from(cid) << 32 | u64::from(frame);
        if let Some(to) = self.push.get(key) {
            return to;
        }
        let mut client = self.world.clients.get(cid).clone();
        client.incoming.push(self.world.frames.get(frame).clone());
        let to = self.world.clients.intern(client);
        self.push.insert(key, to);
        to
    }

    /// Brings a state into the form that stands for it: silent deliveries done, names renumbered, clients sorted.
    #[inline]
    pub(super) fn settle(&mut self, next: &mut [u32; WORDS], n: usize) {
        if self.reductions.deliver_first {
            let budget = Budget::unpack(next[0]);
            let mut slot = 0;
            while slot < n - 2 {
                let cid = next[2 + slot];
                if self.may_go_first(cid, budget) {
                    next[2 + slot] = self.delivered(cid).0;
                } else {
                    slot += 1;
                }
            }
        }
        if self.reductions.renumber {
            let service = self.service(next[1]).masks;
            let mut all = service;
            let mut dense = true;
            for &cid in &next[2..n] {
                all = all.union(self.client(cid).masks);
            }
            let keep = Masks {
                seq: if self.reductions.forget_gone {
                    service.seq
                } else {
                    all.seq
                },
                zxid: all.zxid,
            };
            dense &= is_dense(keep.seq) && is_dense(keep.zxid) && all.seq & !keep.seq == 0;
            if !dense {
                self.renumber(next, n, keep);
            }
        }
        if self.reductions.symmetry {
            self.sort_clients(next, n);
        }
    }

    fn renumber(&mut self, next: &mut [u32; WORDS], n: usize, keep: Masks) {
        let service = self.service(next[1]).masks;
        if !(highest_is_dense(service.seq, keep.seq) && highest_is_dense(service.zxid, keep.zxid)) {
            next[1] = self.rename_service(next[1], keep);
        }
        for word in &mut next[2..n] {
            let own = self.client(*word).masks;
            if !(highest_is_dense(own.seq, keep.seq) && highest_is_dense(own.zxid, keep.zxid)) {
                *word = self.rename_client(*word, keep);
            }
        }
    }

    pub(super) fn groups(&self) -> &[u8] {
        &self.groups
    }
}
