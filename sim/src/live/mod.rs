//! Live runs: programs that are kept and polled on, in virtual time, over one server or an ensemble.
//!
//! The exhaustive world holds a dozen clients and knows no time. Here a seeded event queue gives each step its moment,
//! a thousand clients contend for as long as one likes, and servers have queues that saturate. Programs, client
//! library, requests and the server are the same: without time every live run on one server is a path of the world.
//!
//! A run is a function of its setup and seed, on every machine: the same [`Live::hash`], the same lines of a [`Log`].
//!
//! Left out on purpose: connections do not break, sessions do not expire and processes do not die here; all this is the
//! matter of the worlds. A silence that a session would not have outlived is told in
//! [`Stats::longest_silence`]. Free choices are drawn evenly, nobody is interrupted.

mod client;
mod observer;
mod servers;
mod service;
mod timing;

pub use observer::{Delivery, Log, Observer};
pub use servers::ServerStats;
pub use service::{Echo, Service};
pub use timing::Timing;

use crate::clock::{EventQueue, Rng};
use crate::names::{Text, Who, who};
use crate::program::{Outcome, Program, ProgramError};
use crate::zookeeper::ZooKeeper;
use client::Client;
use servers::Ensemble;

/// Most clients in a live run: a session is a number of 16 bits, 16 of them for each client.
pub const MOST_CLIENTS: usize = 4095;

/// What a live run is made of.
#[derive(Clone, Debug)]
pub struct Setup<S = ZooKeeper> {
    /// The service at the start, without sessions; in an ensemble each server's copy.
    pub service: S,
    /// Number of servers. The first one leads.
    pub servers: usize,
    /// The program of each client. Client `i` is connected to server `i` modulo their number.
    pub programs: Vec<Program>,
    /// How long things take.
    pub timing: Timing,
    /// Decides everything else.
    pub seed: u64,
}

/// Something that is due at a moment.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A program starts.
    Start(u32),
    /// The head of a client's wire reaches its server; the number of the connection.
    Arrive(u32, u32),
    /// The head of the wire to a client reaches it.
    Deliver(u32),
    /// A server is done with what it works at.
    Finish(u32),
    /// A write that a follower has passed on reaches the leader.
    Forwarded(u32),
    /// The oldest proposal is on the disks of a quorum.
    Commit,
    /// The news of the next commit reaches a follower.
    Committed(u32),
    /// A timer or a piece of work of a client is over: place and serial of the operation.
    Fire(u32, u32, u32),
    /// As [`Fire`](Self::Fire), for a choice, with how many there were.
    Choose(u32, u32, u32, u8),
    /// A client looks whether it is time to ping.
    Ping(u32),
}

impl Event {
    /// Kind and subject, for the hash.
    fn code(self) -> u64 {
        let (kind, subject) = match self {
            Event::Start(client) => (0, client),
            Event::Arrive(client, _) => (1, client),
            Event::Deliver(client) => (2, client),
            Event::Finish(server) => (3, server),
            Event::Forwarded(server) => (4, server),
            Event::Commit => (5, 0),
            Event::Committed(server) => (6, server),
            Event::Fire(client, ..) => (7, client),
            Event::Choose(client, ..) => (8, client),
            Event::Ping(client) => (9, client),
        };
        u64::from(subject) << 4 | kind
    }
}

/// Why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The caller had seen enough.
    Enough,
    /// Nothing is left to happen: programs are over or wait for what never comes.
    Rest,
    /// The moment up to which the run was to go has come.
    Limit,
}

/// What a run came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Events of the queue.
    pub events: u64,
    /// Requests that clients sent, without pings.
    pub requests: u64,
    /// Pings that clients sent.
    pub pings: u64,
    /// Watch events that reached a program that was looking for them.
    pub wake_ups: u64,
    /// Watch events that servers sent.
    pub notifications: u64,
    /// The longest time between two messages of a connected client at its server, in nanoseconds. A session would have
    /// expired if this is more than its time-out.
    pub longest_silence: u64,
}

/// A live run.
pub struct Live<S = ZooKeeper, O = ()> {
    queue: EventQueue<Event>,
    clients: Vec<Client>,
    ensemble: Ensemble<S>,
    timing: Timing,
    /// Three streams, so that what one thing draws does not disturb the others.
    network: Rng,
    work: Rng,
    choices: Rng,
    /// How many of the queue's events are clients' looks whether to ping.
    looks: usize,
    stats: Stats,
    hash: u64,
    observer: O,
    /// The rule that a program was caught breaking by a server.
    broken: Option<ProgramError>,
}

impl<S, O> std::fmt::Debug for Live<S, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Live").field("clients", &self.clients.len()).field("now", &self.now()).finish_non_exhaustive()
    }
}

impl<S, O> Live<S, O> {
    /// The moment that the run has come to, in nanoseconds.
    pub fn now(&self) -> u64 {
        self.queue.now()
    }

    /// What the run came to so far.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Equal for runs in which the same things happened at the same moments.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Who looks on.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// Who looks on, to be told something in between.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// Who looked on; the run ends.
    pub fn into_observer(self) -> O {
        self.observer
    }

    /// A server's copy of the service.
    ///
    /// # Panics
    /// When there is no such server.
    pub fn service(&self, server: usize) -> &S {
        self.ensemble.service(server)
    }

    /// The work of each server so far.
    pub fn servers(&self) -> Vec<ServerStats> {
        self.ensemble.stats()
    }

    /// From here on [`ServerStats::longest_queue`] counts anew, beginning with the jobs that wait now.
    pub fn forget_queues(&mut self) {
        self.ensemble.forget_queues();
    }

    /// The marks of a client that are set.
    pub fn marks(&self, client: usize) -> Vec<(&'static str, Option<Text>)> {
        self.clients[client].runner.as_ref().map_or(Vec::new(), |runner| runner.marks())
    }

    /// How the program of a client ended, if it has.
    pub fn outcome(&self, client: usize) -> Option<&Outcome> {
        self.clients[client].runner.as_ref()?.outcome()
    }

    /// The session of a client, 0 for none.
    pub fn session(&self, client: usize) -> Who {
        self.clients[client].session
    }

    /// How many operations, watches included, the client's program has ever had open at once.
    pub fn places(&self, client: usize) -> usize {
        self.clients[client].runner.as_ref().map_or(0, |runner| runner.places())
    }
}

impl<S: Service, O: Observer> Live<S, O> {
    /// A run at its start: sessions are open where programs start connected, and nothing has happened yet.
    ///
    /// # Panics
    /// When there are no clients or more than [`MOST_CLIENTS`], or no servers.
    pub fn new(setup: Setup<S>, observer: O) -> Self {
        let Setup { service, servers, programs, timing, seed } = setup;
        assert!((1..=MOST_CLIENTS).contains(&programs.len()), "a live run has 1 to {MOST_CLIENTS} clients");
        assert!(servers > 0, "a live run has a server");
        let rng = Rng::new(seed);
        let mut queue = EventQueue::new();
        let mut starts = rng.fork(0);
        let mut clients = Vec::with_capacity(programs.len());
        let mut sessions = Vec::new();
        for (slot, program) in programs.into_iter().enumerate() {
            let session = if program.starts_connected() { who(slot, 1) } else { 0 };
            if session != 0 {
                sessions.push((session, slot % servers));
            }
            queue.push(timing.start.sample(&mut starts), Event::Start(slot as u32));
            clients.push(Client::new(program, session, slot % servers));
        }
        let mut services = vec![service; servers];
        for (server, service) in services.iter_mut().enumerate() {
            for &(session, home) in &sessions {
                service.open(session, home == server);
            }
        }
        Self {
            queue,
            clients,
            ensemble: Ensemble::new(services, rng.fork(1)),
            timing,
            network: rng.fork(2),
            work: rng.fork(3),
            choices: rng.fork(4),
            looks: 0,
            stats: Stats::default(),
            hash: 0,
            observer,
            broken: None,
        }
    }

    /// Lets the next thing happen. `false`: nothing is left to happen.
    ///
    /// # Errors
    /// When a program broke the rules: it never rests, opens too many sessions, or needs more than a run can hold.
    #[inline]
    pub fn step(&mut self) -> Result<bool, ProgramError> {
        if self.queue.len() == self.looks {
            return Ok(false);
        }
        let Some((at, event)) = self.queue.pop() else { return Ok(false) };
        self.stats.events += 1;
        self.hash = (self.hash.rotate_left(5) ^ at ^ event.code() << 40).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        match event {
            Event::Start(client) => self.start(client)?,
            Event::Arrive(client, connection) => self.arrive(client as usize, connection),
            Event::Deliver(client) => self.deliver(client as usize)?,
            Event::Finish(server) => self.finish(server as usize),
            Event::Forwarded(server) => self.forwarded(server as usize),
            Event::Commit => self.commit(),
            Event::Committed(server) => self.committed(server as usize),
            Event::Fire(client, op, serial) => self.fire(client as usize, op, serial, None)?,
            Event::Choose(client, op, serial, n) => {
                let value = self.choices.below(n.max(1).into()) as u8;
                self.fire(client as usize, op, serial, Some(value))?;
            }
            Event::Ping(client) => self.look_whether_to_ping(client as usize),
        }
        match self.broken.take() {
            None => Ok(true),
            Some(why) => Err(why),
        }
    }

    /// Lets things happen until the caller has seen enough, nothing is left to happen, or a moment (in nanoseconds) has come.
    /// A client that waits for ever goes on pinging, so a run with pings needs an end of its own.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn run(&mut self, limit: u64, mut enough: impl FnMut(&O) -> bool) -> Result<End, ProgramError> {
        loop {
            if enough(&self.observer) {
                return Ok(End::Enough);
            }
            if self.queue.next_moment().is_some_and(|at| at > limit) {
                return Ok(End::Limit);
            }
            if !self.step()? {
                return Ok(End::Rest);
            }
        }
    }
}
