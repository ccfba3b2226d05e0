//! What an engine keeps of each value beside its number, small parts for every state apart from the rest.

use smallvec::SmallVec;

use super::super::client::{CRASHED, Client, Flight, Frame, Link};
use super::calls::FlightKind;
use super::{Engine, UNKNOWN, end_key, serve_key};
use crate::names::{Who, slot_of, who};
use crate::program::{NodeKey, OpView, Outcome, local_ops};
use crate::stores::Inner;
use crate::world::PANICKED;
use crate::world::intern::prefetch;
use crate::world::serve::LATE;
use crate::zookeeper::{Request, Response};

/// What is needed of a client's value in every state.
#[derive(Clone, Copy, Debug)]
pub(in crate::world) struct HotClient {
    /// Sequence numbers that occur, as bits.
    pub seq: u64,
    pub(super) marks: u32,
    pub(super) link: Link,
    /// Index of the library's session, 0 for none.
    pub(super) session: u8,
    /// Index of the session whose opening is on its way to the client, 0 for none.
    pub(super) opening: u8,
    known: bool,
    pub(super) incoming: bool,
    pub(super) outgoing: bool,
    /// The oldest request opens a session.
    pub(super) opens: bool,
    pub(super) over: bool,
    pub(super) crashed: bool,
    /// Timers, work, choices or interrupts are open.
    pub(super) acts: bool,
    /// Calls to stores are on their way.
    pub(super) calls: bool,
    /// There is one call, and its answer is on its way back.
    pub(super) one_answer: bool,
    /// The ring of the hash table that the client knows.
    pub(super) ring: u16,
}

impl HotClient {
    /// Whether the session of that index is the client's, or about to be.
    #[inline]
    pub(super) fn has(&self, index: u16) -> bool {
        u16::from(self.session) == index || self.opening != 0 && u16::from(self.opening) == index
    }
}

/// What is needed of a client's value now and then.
#[derive(Clone, Debug)]
pub(in crate::world) struct ClientInfo {
    pub zxid: u64,
    pub foreign: u16,
    pub sort_key: u64,
    pub(super) deliver: u32,
    pub(super) deliver_silent: bool,
    /// Nothing but deliveries can move the program.
    pub(super) only_deliveries: bool,
    pub(super) interrupts: bool,
    pub(super) local: SmallVec<[(u8, u8); 2]>,
    /// Positions of writes on their way to the resource.
    pub(super) effects: SmallVec<[u8; 2]>,
    /// Calls to stores.
    pub(super) flights: SmallVec<[FlightKind; 2]>,
    /// How many calls nobody waits for.
    pub(super) late_calls: u8,
}

/// What is needed of a service's value in every state.
#[derive(Clone, Copy, Debug)]
pub(in crate::world) struct HotService {
    /// Sequence numbers that occur, as bits.
    pub seq: u64,
    /// Four bits a slot: the index of its newest session if that is alive, else 0.
    pub(super) alive: u64,
    known: bool,
    /// There are sessions that are closing, or several of one client.
    pub(super) mixed: bool,
    pub(super) containers: u8,
    /// Followers from which something is on its way to the leader, as bits.
    pub(super) forwarded: u8,
    /// Followers that have commits to apply, as bits.
    pub(super) behind: u8,
    /// Stores may do something by themselves.
    pub(super) inner: bool,
    /// The newest ring of the hash table.
    pub(super) ring: u16,
}

/// What is needed of a service's value now and then.
#[derive(Clone, Debug)]
pub(in crate::world) struct ServiceInfo {
    pub zxid: u64,
    /// Known sessions, and whether they are closing.
    pub(super) sessions: SmallVec<[(Who, bool); 8]>,
    pub views: SmallVec<[u64; 8]>,
    /// Numbers of the inner steps of stores that may be taken, and whether each is a fault.
    pub(super) inner: SmallVec<[(u16, bool); 2]>,
}

const COLD_CLIENT: HotClient = HotClient {
    seq: 0,
    marks: 0,
    link: Link::Off,
    session: 0,
    opening: 0,
    known: false,
    incoming: false,
    outgoing: false,
    opens: false,
    over: false,
    crashed: false,
    acts: false,
    calls: false,
    one_answer: false,
    ring: 0,
};

const COLD_SERVICE: HotService = HotService {
    seq: 0,
    alive: 0,
    known: false,
    mixed: false,
    containers: 0,
    forwarded: 0,
    behind: 0,
    inner: false,
    ring: 0,
};

/// The index of the session that the client's request has asked for and that the leader is still to be heard about; 0 for none.
fn opens_by_the_leader(client: &Client, key: Option<&NodeKey>) -> u8 {
    let asked = key.and_then(|key| match &key.ops[key.first_request()? as usize] {
        OpView::Request(Request::OpenSession, _) => Some(client.sessions),
        _ => None,
    });
    let waits = client.session == 0 && client.incoming.is_empty() && client.out.first() != Some(&Request::OpenSession);
    asked.filter(|_| waits).unwrap_or(0)
}

impl Engine<'_> {
    #[inline]
    pub(in crate::world) fn hot_client(&mut self, cid: u32) -> HotClient {
        match self.hot_clients.get(cid as usize) {
            Some(hot) if hot.known => *hot,
            _ => self.look_at_client(cid),
        }
    }

    #[inline]
    pub(in crate::world) fn client(&mut self, cid: u32) -> &mut ClientInfo {
        self.hot_client(cid);
        self.clients[cid as usize].as_mut().expect("just looked at")
    }

    #[cold]
    fn look_at_client(&mut self, cid: u32) -> HotClient {
        let world = self.world;
        let client = world.clients.get(cid);
        let (masks, foreign, sort_key) = self.client_masks(client);
        let key = client.key(&world.automaton);
        let (mut local, mut effects) = (SmallVec::new(), SmallVec::new());
        let (mut interrupts, mut waits) = (false, false);
        for (pos, op) in key.iter().flat_map(|key| local_ops(key)) {
            match op {
                OpView::Interrupt => {
                    interrupts = true;
                    continue;
                }
                OpView::Choice(n) => local.push((pos, *n)),
                OpView::Effect(_) => effects.push(pos),
                _ => local.push((pos, 1)),
            }
            waits = true;
        }
        effects.extend((0..client.late.len()).map(|at| LATE + at as u8));
        let marked = |name: &&str| {
            let panicked = |key: &NodeKey| matches!(key.outcome, Some(Outcome::Panicked(_)));
            key.is_some_and(|key| if **name == *PANICKED { panicked(key) } else { key.mark(name).is_some() })
        };
        let bits = self.mark_names.iter().enumerate();
        let answered = |frame: &Frame| match frame {
            Frame::Reply(reply) => match reply.result {
                Ok(Response::Opened(session)) => Some((session % 16) as u8),
                _ => None,
            },
            _ => None,
        };
        let opening = match client.link {
            Link::Up => client.incoming.iter().find_map(answered).unwrap_or_else(|| opens_by_the_leader(client, key)),
            Link::Down | Link::Off => 0,
        };
        let flights: SmallVec<[FlightKind; 2]> = (0..client.flights.len())
            .map(|at| match client.flights[at] {
                Flight::Answered(_) => FlightKind::Answered,
                Flight::Sent | Flight::Going(_) => {
                    FlightKind::Open { outlives: client.open_call(&world.automaton, at).1.outlives_its_caller() }
                }
            })
            .collect();
        let late_calls = client.late_calls.len() as u8;
        let hot = HotClient {
            opening,
            seq: masks.seq,
            marks: bits.filter(|(_, n)| marked(n)).map(|(i, _)| 1 << i).sum(),
            link: client.link,
            session: (client.session % 16) as u8,
            known: true,
            incoming: !client.incoming.is_empty(),
            outgoing: !client.out.is_empty(),
            opens: matches!(client.out.first(), Some(Request::OpenSession)),
            over: client.is_over(&world.automaton),
            crashed: client.node == CRASHED,
            acts: waits || interrupts || !client.late.is_empty(),
            calls: !flights.is_empty() || late_calls > 0,
            one_answer: flights.len() == 1 && flights[0] == FlightKind::Answered,
            ring: key.map_or(0, |key| key.ring),
        };
        let info = ClientInfo {
            zxid: masks.zxid,
            foreign,
            sort_key,
            deliver: UNKNOWN,
            deliver_silent: false,
            only_deliveries: !waits && client.late.is_empty(),
            interrupts,
            local,
            effects,
            flights,
            late_calls,
        };
        if self.clients.len() <= cid as usize {
            self.clients.resize(cid as usize + 1, None);
            self.hot_clients.resize(cid as usize + 1, COLD_CLIENT);
        }
        self.clients[cid as usize] = Some(info);
        self.hot_clients[cid as usize] = hot;
        hot
    }

    #[inline]
    pub(in crate::world) fn hot_service(&mut self, zid: u32) -> HotService {
        match self.hot_services.get(zid as usize) {
            Some(hot) if hot.known => *hot,
            _ => self.look_at_service(zid),
        }
    }

    #[inline]
    pub(in crate::world) fn service(&mut self, zid: u32) -> &ServiceInfo {
        self.hot_service(zid);
        self.services[zid as usize].as_ref().expect("just looked at")
    }

    #[cold]
    fn look_at_service(&mut self, zid: u32) -> HotService {
        let services = self.world.services.get(zid);
        let service = services.zookeeper();
        let sessions: SmallVec<[(Who, bool); 8]> = service.sessions().map(|s| (s, service.is_closing(s))).collect();
        let masks = self.service_masks(services);
        let (mut alive, mut slots, mut mixed) = (0u64, 0u16, false);
        for (session, closing) in &sessions {
            let slot = slot_of(*session);
            mixed |= *closing || slots >> slot & 1 == 1;
            slots |= 1 << slot;
            // Sessions come in order, so the newest of a slot is the last.
            alive &= !(15 << (4 * slot));
            if !closing {
                alive |= u64::from(session % 16) << (4 * slot);
            }
        }
        let followers = services.ensemble.followers.iter().enumerate();
        let (mut forwarded, mut behind) = (0, 0);
        for (at, follower) in followers {
            forwarded |= u8::from(!follower.forwarded.is_empty()) << at;
            behind |= u8::from(!follower.behind.is_empty()) << at;
        }
        let may = |(at, inner): (usize, Inner)| match inner.fault() {
            Some(fault) => (fault.left(services.faults) > 0).then_some((at as u16, true)),
            None => Some((at as u16, false)),
        };
        let inner: SmallVec<[(u16, bool); 2]> =
            services.stores.inner().into_iter().enumerate().filter_map(may).collect();
        let hot = HotService {
            seq: masks.seq,
            alive,
            known: true,
            mixed,
            containers: service.sweepable().len() as u8,
            forwarded,
            behind,
            inner: !inner.is_empty(),
            ring: services.stores.dht.as_ref().map_or(0, |dht| dht.ring_version()),
        };
        let info = ServiceInfo { zxid: masks.zxid, sessions, views: self.service_views(services), inner };
        if self.services.len() <= zid as usize {
            self.services.resize(zid as usize + 1, None);
            self.hot_services.resize(zid as usize + 1, COLD_SERVICE);
        }
        self.services[zid as usize] = Some(info);
        self.hot_services[zid as usize] = hot;
        hot
    }

    /// Asks for the table entries that expanding these states will need, so that they are there in time.
    pub fn prepare(&mut self, rows: &[u32], width: usize) {
        for row in rows.chunks_exact(width) {
            if let Some(hot) = self.hot_services.get(row[1] as usize) {
                prefetch(hot);
            }
            let expires = row[0] & 15 != 0;
            for (slot, &cid) in row[2..].iter().enumerate() {
                let hot = self.hot_client(cid);
                if hot.outgoing {
                    self.serve.prefetch(serve_key(row[1], cid, slot));
                }
                if expires && !hot.over {
                    let session = who(slot, hot.session as usize);
                    self.end.prefetch(end_key(row[1], session, true));
                }
            }
        }
    }
}
