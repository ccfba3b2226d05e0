//! One run: the event loop, and what each event does.

use overtake_recipes::SessionState;
use overtake_sim::clock::duration::MILLISECOND;
use overtake_sim::clock::{Alarm, EventQueue, MachineClock, Rng};
use overtake_sim::ensemble::LEADER;
use overtake_sim::names::Who;
use overtake_sim::program::OpView;
use overtake_sim::world::{Engine, Frame, Link, Step, StepKind};

use super::Flaw;
use super::calls::{FlyingLate, StoreEvent};
use super::course::Course;
use super::host::Host;
use super::look::Taken;
use super::plan::{Fault, Lost, Plan};
use super::record::{Note, Noted, TimedRun};
use super::replicas::Replica;
use super::server::Server;
use super::stores::{InnerClock, renewed};
use super::timing::Timing;
use crate::sample::{Ended, Judge, SampledRun};

/// Ticks after which followers give up a leader that is silent (`syncLimit` of the example configuration).
const SYNC_LIMIT: u64 = 5;

/// Something in the queue. A ticket or epoch that is no longer valid makes it nothing.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// The head of the client's requests has arrived and been worked on.
    Serve { slot: usize, ticket: u64 },
    /// The head of the frames to the client has arrived.
    Deliver { slot: usize, ticket: u64 },
    /// What the program waits for by itself is over.
    Local { slot: usize, ticket: u64 },
    /// The library's thread wakes.
    Library { slot: usize },
    /// A ping arrives at the server.
    Ping { slot: usize, session: Who, epoch: u64 },
    /// Its answer arrives at the client.
    Pong { slot: usize, epoch: u64 },
    /// The library starts to connect.
    Attempt { slot: usize, epoch: u64 },
    /// The connect request arrives at the server.
    Connect { slot: usize, epoch: u64, until: u64, to: u8 },
    /// The server's session tracker wakes.
    Tracker,
    /// The transaction that ends the session is committed.
    Commit { session: Who },
    /// A fault of the plan.
    Fault(Fault),
    /// The server wakes after a pause.
    ServerWakes,
    /// The server is up again.
    ServerUp,
    /// The process of the client starts again.
    Restart { slot: usize },
    /// The leader's ping arrives at a follower.
    LeaderAsks { replica: usize },
    /// Its answer arrives at the leader.
    LeaderHears { replica: usize },
    /// What a follower has forwarded arrives at the leader (`accept`), or a commit is applied at the follower.
    Replica { replica: usize, ticket: u64, accept: bool },
    /// The leader has stood still for so long that it is replaced.
    LeaderIsReplaced { since: u64 },
    /// Something at a store, or on the way there or back.
    Stores(StoreEvent),
}

/// A run as it goes on.
pub(super) struct Run<'a, 'w, 'j> {
    pub timing: &'a Timing,
    pub course: Course<'a, 'w, 'j>,
    pub queue: EventQueue<Event>,
    pub hosts: Vec<Host>,
    pub server: Server,
    pub replicas: Vec<Replica>,
    /// Draws of the network, of the programs' own durations, and of everything at the server.
    pub network: Rng,
    pub own: Rng,
    pub service: Rng,
    /// And of the stores.
    pub stores: Rng,
    pub inner: Vec<InnerClock>,
    /// The inner step that is just being taken.
    pub fired: Option<u64>,
    /// Which calls of the process that is just dying arrive all the same.
    pub outlives: Vec<bool>,
    pub notes: Vec<Noted>,
    /// When the last transaction that ends a session is committed; they keep their order.
    pub last_commit: u64,
    pub refused: std::collections::BTreeMap<StepKind, u32>,
    pub tickets: u64,
    pub service_word: u32,
}

impl<'a, 'w, 'j> Run<'a, 'w, 'j> {
    pub fn new(
        timing: &'a Timing,
        flaw: Flaw,
        engine: &'a mut Engine<'w>,
        judge: &'a mut Judge<'j>,
        seed: u64,
    ) -> Self {
        let seed = Rng::new(seed);
        let mut clocks = seed.fork(1);
        let mut clock = || {
            let drift = i64::from(timing.drift);
            MachineClock::new((clocks.below(2 * drift as u64 + 1) as i64 - drift) as i32, 0)
        };
        let server = Server::new(clock(), timing.tick, timing.timeout, flaw);
        let (clients, followers) = (engine.world().setup().clients.len(), engine.world().setup().followers);
        Self {
            timing,
            course: Course::new(engine, judge),
            queue: EventQueue::new(),
            hosts: (0..clients).map(|_| Host::new(clock())).collect(),
            server,
            replicas: (0..followers).map(|_| Replica::default()).collect(),
            network: seed.fork(2),
            own: seed.fork(3),
            service: seed.fork(4),
            stores: seed.fork(5),
            inner: Vec::new(),
            fired: None,
            outlives: Vec::new(),
            notes: Vec::new(),
            last_commit: 0,
            refused: Default::default(),
            tickets: 0,
            service_word: u32::MAX,
        }
    }

    /// Each client begins at its moment.
    pub fn starting(mut self, starts: &[u64]) -> Self {
        self.hosts.iter_mut().zip(starts).for_each(|(host, start)| host.starts_at = *start);
        self
    }

    /// Goes on until the run is over.
    pub fn go(mut self, plan: &Plan) -> TimedRun {
        for (at, fault) in &plan.faults {
            self.queue.push(*at, Event::Fault(*fault));
        }
        self.look_around(None);
        let ended = loop {
            if let Some(ended) = self.is_over() {
                break ended;
            }
            match self.queue.pop() {
                Some((now, event)) if now <= self.timing.limit => self.happens(event),
                _ => break Ended::Limit,
            }
        };
        let run = SampledRun {
            steps: self.course.steps,
            moments: self.course.moments,
            violated: self.course.violated,
            ended,
        };
        TimedRun {
            run,
            notes: self.notes,
            timeout: self.server.timeout(),
            tick: self.timing.tick,
            refused: self.refused,
            lasted: self.queue.now(),
        }
    }

    fn is_over(&self) -> Option<Ended> {
        if self.course.world().error().is_some() {
            return Some(Ended::Error);
        }
        if self.course.violated.is_some() {
            return Some(Ended::Violation);
        }
        // In the world what is late may never arrive; here it does, unless it is lost.
        let late = || self.hosts.iter().flat_map(|host| &host.late).any(FlyingLate::is_on_its_way);
        if self.course.forced == 0 && !late() {
            return Some(Ended::AtRest);
        }
        (self.course.steps.len() >= self.timing.most_steps).then_some(Ended::Limit)
    }

    pub fn now(&self) -> u64 {
        self.queue.now()
    }

    pub fn latency(&mut self) -> u64 {
        self.timing.latency.sample(&mut self.network)
    }

    /// Takes the step now; counts it as refused when the world does not allow it.
    pub fn take(&mut self, step: Option<Step>, kind: StepKind) -> bool {
        let now = self.now();
        let delivering = match step {
            Some(Step { kind: StepKind::Deliver, slot, .. }) => self.head_of(slot as usize),
            _ => None,
        };
        let possible = step.filter(|step| self.course.enabled.contains(step));
        let made = possible.and_then(|step| self.course.made(step));
        let renewed = possible.and_then(|step| renewed(&self.course.world().view(&self.course.state), step));
        if let Some(step) = possible.filter(|step| step.kind == StepKind::Crash) {
            self.outlives = self.which_outlive(usize::from(step.slot));
        }
        if !step.is_some_and(|step| self.course.take(step, now)) {
            *self.refused.entry(kind).or_default() += 1;
            return false;
        }
        self.look_around(step.map(|step| Taken { step, delivering, made, renewed }));
        true
    }

    /// The change of connection at the head of the client's frames, if it is one.
    fn head_of(&self, slot: usize) -> Option<SessionState> {
        let view = self.course.world().view(&self.course.state);
        match view.client(slot).frames().first() {
            Some(Frame::Session(state)) => Some(*state),
            _ => None,
        }
    }

    pub fn note(&mut self, session: Who, note: Note) {
        let moment = self.now();
        self.notes.push(Noted { moment, reading: self.server.clock.reading(moment), session, note });
    }

    /// The session that the client's library has.
    pub fn session(&self, slot: usize) -> Option<Who> {
        self.course.world().view(&self.course.state).client(slot).session()
    }

    pub fn link(&self, slot: usize) -> Link {
        self.course.world().view(&self.course.state).client(slot).link()
    }

    /// When what is sent by the client and should arrive now arrives instead; `None` for now.
    fn later_at_server(&mut self, slot: usize) -> Option<u64> {
        let now = self.now();
        let whole = self.hosts[slot].mute_until;
        if now < whole {
            return Some(whole + self.timing.retransmit.sample(&mut self.network));
        }
        self.later_at(self.course.world().view(&self.course.state).client(slot).server())
    }

    /// When the server goes on; `None` for now.
    fn later_at(&self, server: u8) -> Option<u64> {
        if server == LEADER { self.server.later(self.now()) } else { self.server.elected(self.now()) }
    }

    /// When the network is whole both ways; `None` for now.
    fn later_for_a_handshake(&mut self, slot: usize) -> Option<u64> {
        let whole = self.hosts[slot].mute_until.max(self.hosts[slot].deaf_until);
        (self.now() < whole).then(|| whole + self.timing.retransmit.sample(&mut self.network))
    }

    /// The same for what is sent to the client.
    fn later_at_client(&mut self, slot: usize) -> Option<u64> {
        let (now, whole) = (self.now(), self.hosts[slot].deaf_until);
        if now < whole {
            return Some(whole + self.timing.retransmit.sample(&mut self.network));
        }
        self.later_in_process(slot)
    }

    /// When something that is due now in the client's process really runs; `None` for now.
    pub fn later_in_process(&mut self, slot: usize) -> Option<u64> {
        let now = self.now();
        let at = self.hosts[slot].clock.runs_at(now);
        (at > now).then(|| at + self.timing.waking.sample(&mut self.own))
    }

    fn happens(&mut self, event: Event) {
        match event {
            Event::Serve { slot, ticket } if self.hosts[slot].out.ticket == ticket => {
                if let Some(later) = self.later_at_server(slot) {
                    return self.queue.push(later, event);
                }
                let Some(step) = self.course.find(StepKind::Serve, slot) else {
                    // A read waits behind the session's own writes.
                    let again = self.timing.service.sample(&mut self.service).max(MILLISECOND / 10);
                    return self.queue.push_in(again, event);
                };
                self.touched(self.session(slot));
                self.take(Some(step), StepKind::Serve);
            }
            Event::Deliver { slot, ticket } if self.hosts[slot].incoming.ticket == ticket => {
                let local = self.hosts[slot].incoming.arrivals.front().is_some_and(|(_, local)| *local);
                let later = if local { self.later_in_process(slot) } else { self.later_at_client(slot) };
                if let Some(later) = later {
                    return self.queue.push(later, event);
                }
                if !local {
                    self.hears(slot);
                }
                self.take(self.course.find(StepKind::Deliver, slot), StepKind::Deliver);
            }
            Event::Local { slot, ticket } => {
                let Some(op) = self.hosts[slot].local.iter().find(|op| op.ticket == ticket) else { return };
                let (position, choices) = (u16::from(op.position), choices(&op.view));
                if matches!(op.view, OpView::Effect(_)) {
                    // On its way to the resource it takes no notice of what its sender does.
                    let step = Step { kind: StepKind::Write, slot: slot as u8, arg: position };
                    self.take(Some(step), StepKind::Write);
                    return;
                }
                if let Some(later) = self.later_in_process(slot) {
                    return self.queue.push(later, event);
                }
                let value = self.own.below(u64::from(choices)) as u16;
                let step = Step { kind: StepKind::Local, slot: slot as u8, arg: position | value << 8 };
                self.take(Some(step), StepKind::Local);
            }
            Event::Library { slot } => self.library_wakes(slot),
            Event::Ping { slot, session, epoch } => {
                // Of a connection that is gone, what the server's kernel has taken is still read; what was lost is not sent
                // again.
                let stale = self.hosts[slot].epoch != epoch;
                if stale && self.now() < self.hosts[slot].mute_until {
                    return;
                }
                if let Some(later) = self.later_at_server(slot) {
                    return self.queue.push(later, event);
                }
                self.touched(Some(session));
                if !stale {
                    let latency = self.latency();
                    self.queue.push_in(latency, Event::Pong { slot, epoch });
                }
            }
            Event::Pong { slot, epoch } if self.hosts[slot].epoch == epoch => {
                if let Some(later) = self.later_at_client(slot) {
                    return self.queue.push(later, event);
                }
                self.hears(slot);
            }
            Event::Attempt { slot, epoch } if self.hosts[slot].epoch == epoch => {
                let later = self.later_in_process(slot).or_else(|| {
                    let waits = !self.course.world().view(&self.course.state).client(slot).frames().is_empty();
                    waits.then(|| self.now() + MILLISECOND)
                });
                if let Some(later) = later {
                    return self.queue.push(later, event);
                }
                self.attempts(slot);
            }
            Event::Connect { slot, epoch, until, to } if self.hosts[slot].epoch == epoch => {
                // The connection is made by packets of both ways.
                let whole = self.later_for_a_handshake(slot);
                match whole.or_else(|| self.later_at(to)) {
                    Some(later) if later <= until => self.queue.push(later, event),
                    Some(later) => {
                        if let (None, Some(session)) = (whole, self.session(slot)) {
                            // The request waits at a server that stands still, and is read when nobody waits for it.
                            self.queue.push(later, Event::Ping { slot, session, epoch: u64::MAX });
                        }
                        self.attempts_again(slot, until);
                    }
                    None => self.connects(slot, to),
                }
            }
            Event::Tracker => self.tracker_wakes(),
            Event::Commit { session } => match self.server.later(self.now()) {
                Some(later) => self.queue.push(later, event),
                None => self.ends(session),
            },
            Event::Fault(fault) => self.goes_wrong(fault),
            Event::ServerWakes => {
                // The expiry thread and the threads that read the sockets race (Z121).
                if self.service.chance(self.timing.race) {
                    self.tracker_wakes();
                } else {
                    self.server.alarm = None;
                    self.schedule_tracker();
                }
            }
            Event::ServerUp => self.server_is_up(),
            Event::Restart { slot } => {
                self.take(self.course.find(StepKind::Restart, slot), StepKind::Restart);
            }
            Event::LeaderAsks { replica } => self.leader_asks(replica),
            Event::LeaderHears { replica } => self.leader_hears(replica),
            Event::Replica { replica, ticket, accept } => self.replica_acts(replica, ticket, accept),
            Event::LeaderIsReplaced { since }
                if self.server.clock.is_paused(self.now()) && self.server.down_until <= since =>
            {
                let takes = self.timing.election.sample(&mut self.service);
                self.server.clock.resume();
                self.server_goes_down(takes);
            }
            Event::Stores(event) => self.store_happens(event),
            // Stale.
            _ => {}
        }
    }

    /// The library hears the server.
    fn hears(&mut self, slot: usize) {
        let now = self.now();
        let host = &mut self.hosts[slot];
        let reading = host.clock.reading(now);
        let Some(connection) = &mut host.connection else { return };
        if connection.is_connected() && connection.hears(reading) {
            connection.sends(reading, &mut self.own);
            self.pings(slot);
        }
    }

    /// A ping is sent.
    fn pings(&mut self, slot: usize) {
        let epoch = self.hosts[slot].epoch;
        if let Some(session) = self.session(slot) {
            let latency = self.latency();
            self.queue.push_in(latency, Event::Ping { slot, session, epoch });
        }
    }

    fn library_wakes(&mut self, slot: usize) {
        let now = self.now();
        self.hosts[slot].alarm = None;
        if let Some(later) = self.later_in_process(slot) {
            self.hosts[slot].alarm = Some(later);
            return self.queue.push(later, Event::Library { slot });
        }
        let host = &mut self.hosts[slot];
        let reading = host.clock.reading(now);
        let alarm = host.connection.as_mut().and_then(|connection| connection.wake(reading, &mut self.own));
        match alarm {
            Some(Alarm::Ping) => self.pings(slot),
            Some(Alarm::Silent) => self.drops(slot),
            Some(Alarm::LocalExpiry) => self.gives_up(slot),
            None => {}
        }
        self.schedule_library(slot);
    }

    fn goes_wrong(&mut self, fault: Fault) {
        let now = self.now();
        let spared = |run: &Self, slot: usize| {
            let view = run.course.world().view(&run.course.state);
            !run.course.world().setup().clients[slot].victim || view.client(slot).is_over()
        };
        match fault {
            Fault::ServerPause { length } => {
                self.server.clock.pause(now, length);
                let wakes = self.server.clock.runs_at(now);
                self.queue.push(wakes, Event::ServerWakes);
                if !self.replicas.is_empty() {
                    let patience = SYNC_LIMIT * self.timing.tick;
                    self.queue.push_in(patience, Event::LeaderIsReplaced { since: now });
                }
            }
            Fault::Resync { server } => {
                let step = Step { kind: StepKind::Resync, slot: server, arg: 0 };
                self.take(Some(step), StepKind::Resync);
            }
            Fault::ServerRestart { down } => self.server_goes_down(down),
            Fault::ClientPause { slot, .. }
            | Fault::Silence { slot, .. }
            | Fault::Reset { slot }
            | Fault::Crash { slot, .. }
            | Fault::Interrupt { slot }
                if spared(self, slot) => {}
            Fault::ClientPause { slot, length } => self.hosts[slot].clock.pause(now, length),
            Fault::Silence { slot, lost, length } => {
                let (host, until) = (&mut self.hosts[slot], now.saturating_add(length));
                if lost != Lost::ToClient {
                    host.mute_until = host.mute_until.max(until);
                }
                if lost != Lost::ToServer {
                    host.deaf_until = host.deaf_until.max(until);
                }
            }
            Fault::Reset { slot } if self.link(slot) == Link::Up => self.drops(slot),
            Fault::Reset { .. } => {}
            Fault::Crash { slot, back } => {
                if self.take(self.course.find(StepKind::Crash, slot), StepKind::Crash) {
                    self.queue.push_in(back, Event::Restart { slot });
                }
            }
            Fault::Interrupt { slot } => {
                if let Some(step) = self.course.find(StepKind::Interrupt, slot) {
                    self.take(Some(step), StepKind::Interrupt);
                }
            }
        }
    }
}

fn choices(op: &OpView) -> u8 {
    match op {
        OpView::Choice(n) => *n,
        _ => 1,
    }
}
