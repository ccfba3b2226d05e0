//! The servers of a live run: one queue of jobs each, and the log that makes their copies one service.
//!
//! A read is answered by the client's own server from its own copy, which may be behind (§1.8, §5). A write goes to the
//! leader, which puts it into the order of proposals; it is committed when a quorum has it on disk, and each server
//! applies it when the news of the commit comes, in that order. Watches fire at the server of the watcher then, and the
//! writer is answered by its own server. What a session sends behind a write of its own waits for that write.

use std::collections::VecDeque;

use overtake_recipes::SessionState;
use smallvec::SmallVec;

use super::client::{Frame, Sent};
use super::observer::Observer;
use super::service::Service;
use super::{Event, Live};
use crate::clock::{Distribution, Rng};
use crate::names::{PER_CLIENT, Who, slot_of, who};
use crate::program::ProgramError;
use crate::zookeeper::{Notification, Reply, Request, Response};

/// The place of the leader.
const LEADER: usize = 0;

/// A write on its way through the ensemble.
#[derive(Clone, Debug)]
struct Entry {
    client: u32,
    connection: u32,
    /// Place of the operation in the client's program.
    op: u32,
    session: Who,
    request: Request,
}

/// What a server has to do.
#[derive(Debug)]
enum Job {
    /// Something that a client sent over the connection.
    Take(u32, u32, Sent),
    /// A write that another server has passed on.
    Propose(Entry),
    /// The next committed write.
    Apply,
}

/// The work of one server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerStats {
    /// Nanoseconds in which it worked.
    pub busy: u64,
    /// Jobs that it did or began.
    pub jobs: u64,
    /// The most jobs that waited at once, since the last [`Live::forget_queues`].
    pub longest_queue: usize,
    /// Sum over all jobs of the nanoseconds between coming and being begun.
    pub waited: u64,
}

#[derive(Debug)]
struct Server<S> {
    service: S,
    jobs: VecDeque<(u64, Job)>,
    /// What it works at. Busy without one: the end of a long answer.
    current: Option<Job>,
    busy: bool,
    /// Number of the next write to apply.
    next: u64,
    /// Writes on their way to the leader.
    channel: VecDeque<Entry>,
    channel_last: u64,
    /// When the last news of a commit comes.
    news_last: u64,
    stats: ServerStats,
}

#[derive(Debug)]
pub(super) struct Ensemble<S> {
    servers: Vec<Server<S>>,
    /// Proposals, the oldest that some server has not yet applied first.
    log: VecDeque<Entry>,
    /// Number of the first entry of `log`.
    base: u64,
    last_commit: u64,
    rng: Rng,
    /// Room for events, kept for speed.
    events: Vec<Notification>,
}

impl<S: Service> Ensemble<S> {
    pub(super) fn new(services: Vec<S>, rng: Rng) -> Self {
        let server = |service| Server {
            service,
            jobs: VecDeque::new(),
            current: None,
            busy: false,
            next: 0,
            channel: VecDeque::new(),
            channel_last: 0,
            news_last: 0,
            stats: ServerStats::default(),
        };
        Self {
            servers: services.into_iter().map(server).collect(),
            log: VecDeque::new(),
            base: 0,
            last_commit: 0,
            rng,
            events: Vec::new(),
        }
    }
}

impl<S> Ensemble<S> {
    pub(super) fn service(&self, server: usize) -> &S {
        &self.servers[server].service
    }

    pub(super) fn stats(&self) -> Vec<ServerStats> {
        self.servers.iter().map(|server| server.stats).collect()
    }

    pub(super) fn forget_queues(&mut self) {
        for server in &mut self.servers {
            server.stats.longest_queue = server.jobs.len();
        }
    }
}

impl<S: Service, O: Observer> Live<S, O> {
    fn alone(&self) -> bool {
        self.ensemble.servers.len() == 1
    }

    /// Whether the request takes its place in the order of writes.
    fn is_ordered(&self, request: &Request) -> bool {
        match request {
            Request::Write(_) | Request::Multi(_) | Request::OpenSession | Request::CloseSession => true,
            Request::Sync => !self.alone(),
            _ => false,
        }
    }

    pub(super) fn arrive(&mut self, slot: usize, connection: u32) {
        let Some(sent) = self.taken(slot, connection) else { return };
        let at = self.queue.now();
        let client = &mut self.clients[slot];
        self.stats.longest_silence = self.stats.longest_silence.max(at - client.last_heard);
        client.last_heard = at;
        if client.blocked && matches!(sent, Sent::Request(..)) {
            client.held.push_back(sent);
        } else {
            self.take(slot, sent);
        }
    }

    /// Puts what a client sent into the queue of its server.
    fn take(&mut self, slot: usize, sent: Sent) {
        let blocks = matches!(&sent, Sent::Request(_, request) if self.is_ordered(request));
        let client = &mut self.clients[slot];
        client.blocked |= blocks;
        let (server, connection) = (client.server, client.connection);
        self.enqueue(server, Job::Take(slot as u32, connection, sent));
    }

    /// The write of the client is answered: what it held up goes on.
    fn unblock(&mut self, slot: usize) {
        self.clients[slot].blocked = false;
        while !self.clients[slot].blocked
            && let Some(sent) = self.clients[slot].held.pop_front()
        {
            self.take(slot, sent);
        }
    }

    fn enqueue(&mut self, server: usize, job: Job) {
        let at = self.queue.now();
        let it = &mut self.ensemble.servers[server];
        if it.busy {
            it.jobs.push_back((at, job));
            it.stats.longest_queue = it.stats.longest_queue.max(it.jobs.len());
        } else if self.begin(server, job) {
            self.work_on(server);
        }
    }

    /// The server begins a job. Answers whether it is done with it at once, since it takes no time.
    fn begin(&mut self, server: usize, job: Job) -> bool {
        let cost = self.cost(server, &job);
        let it = &mut self.ensemble.servers[server];
        it.busy = true;
        it.stats.jobs += 1;
        let left = if cost > 0 {
            it.current = Some(job);
            cost
        } else {
            self.work_off(server, job)
        };
        let it = &mut self.ensemble.servers[server];
        it.busy = left > 0;
        if left > 0 {
            it.stats.busy += left;
            self.queue.push_in(left, Event::Finish(server as u32));
        }
        left == 0
    }

    /// The server, which is done, takes up its next jobs.
    fn work_on(&mut self, server: usize) {
        let at = self.queue.now();
        loop {
            let it = &mut self.ensemble.servers[server];
            let Some((since, job)) = it.jobs.pop_front() else { return };
            it.stats.waited += at - since;
            if !self.begin(server, job) {
                return;
            }
        }
    }

    pub(super) fn finish(&mut self, server: usize) {
        if let Some(job) = self.ensemble.servers[server].current.take() {
            let left = self.work_off(server, job);
            if left > 0 {
                self.ensemble.servers[server].stats.busy += left;
                self.queue.push_in(left, Event::Finish(server as u32));
                return;
            }
        }
        self.ensemble.servers[server].busy = false;
        self.work_on(server);
    }

    fn cost(&mut self, server: usize, job: &Job) -> u64 {
        let of = match job {
            Job::Take(_, _, Sent::Request(_, request)) if self.is_ordered(request) => {
                if server == LEADER {
                    &self.timing.write
                } else {
                    &self.timing.apply
                }
            }
            Job::Take(..) => &self.timing.read,
            Job::Propose(_) => &self.timing.write,
            Job::Apply => &self.timing.apply,
        };
        of.sample(&mut self.ensemble.rng)
    }

    /// Does the job; answers for how much longer the server is busy with sending what came of it.
    fn work_off(&mut self, server: usize, job: Job) -> u64 {
        match job {
            Job::Take(client, connection, sent) => {
                let slot = client as usize;
                if self.clients[slot].connection != connection {
                    return 0;
                }
                let Sent::Request(op, request) = sent else {
                    self.push(slot, self.queue.now(), Frame::Pong);
                    return 0;
                };
                let opens = matches!(request, Request::OpenSession);
                let session = if opens { self.next_session(slot) } else { self.clients[slot].session };
                if self.broken.is_some() {
                    return 0;
                }
                if !opens && !self.ensemble.servers[server].service.is_alive(session) {
                    self.hang_up(slot);
                    return 0;
                }
                let entry = Entry { client, connection, op, session, request };
                match self.is_ordered(&entry.request) {
                    false => self.serve(server, entry),
                    true if server == LEADER => self.propose(entry),
                    true => {
                        let delay = self.timing.peers.sample(&mut self.network);
                        let at = self.queue.now() + delay;
                        let it = &mut self.ensemble.servers[server];
                        it.channel_last = it.channel_last.max(at);
                        it.channel.push_back(entry);
                        self.queue.push(it.channel_last, Event::Forwarded(server as u32));
                        0
                    }
                }
            }
            Job::Propose(entry) => self.propose(entry),
            Job::Apply => self.apply(server),
        }
    }

    /// The id of the session that the client opens next; 0, which breaks the run off, when it has opened as many as it may.
    fn next_session(&mut self, slot: usize) -> Who {
        let client = &mut self.clients[slot];
        if client.sessions + 1 == PER_CLIENT {
            self.broken = Some(ProgramError::TooManySessions { program: client.program_name().into() });
            return 0;
        }
        client.sessions += 1;
        who(slot, client.sessions.into())
    }

    /// The server closes the connection of a session that is over; what it has written still arrives.
    fn hang_up(&mut self, slot: usize) {
        let at = self.queue.now();
        self.observer.refused(at, slot);
        self.clients[slot].close_connection();
        self.push(slot, at, Frame::Session(SessionState::Disconnected));
    }

    pub(super) fn forwarded(&mut self, server: usize) {
        let entry = self.ensemble.servers[server].channel.pop_front().expect("what comes was passed on");
        self.enqueue(LEADER, Job::Propose(entry));
    }

    /// The leader gives the write its place and works out when a quorum has it on disk.
    fn propose(&mut self, entry: Entry) -> u64 {
        if self.alone() && self.timing.log == Distribution::ZERO {
            return self.serve(LEADER, entry);
        }
        let servers = self.ensemble.servers.len();
        let mut acks: SmallVec<[u64; 7]> = SmallVec::new();
        for server in 0..servers {
            let mut delay = self.timing.log.sample(&mut self.ensemble.rng);
            if server != LEADER {
                delay += self.timing.peers.sample(&mut self.network) + self.timing.peers.sample(&mut self.network);
            }
            acks.push(delay);
        }
        acks.sort_unstable();
        let at = self.queue.now() + acks[servers / 2];
        self.ensemble.last_commit = self.ensemble.last_commit.max(at);
        self.ensemble.log.push_back(entry);
        self.queue.push(self.ensemble.last_commit, Event::Commit);
        0
    }

    pub(super) fn commit(&mut self) {
        for server in 1..self.ensemble.servers.len() {
            let at = self.queue.now() + self.timing.peers.sample(&mut self.network);
            let it = &mut self.ensemble.servers[server];
            it.news_last = it.news_last.max(at);
            self.queue.push(it.news_last, Event::Committed(server as u32));
        }
        self.enqueue(LEADER, Job::Apply);
    }

    pub(super) fn committed(&mut self, server: usize) {
        self.enqueue(server, Job::Apply);
    }

    /// The server applies the next committed write to its copy.
    fn apply(&mut self, server: usize) -> u64 {
        let ensemble = &mut self.ensemble;
        let at = ensemble.servers[server].next;
        ensemble.servers[server].next += 1;
        let entry = ensemble.log[(at - ensemble.base) as usize].clone();
        if ensemble.servers.iter().all(|it| it.next > ensemble.base) {
            ensemble.log.pop_front();
            ensemble.base += 1;
        }
        self.serve(server, entry)
    }

    /// The request takes effect on the server's copy; if the client is this server's, it is answered.
    fn serve(&mut self, server: usize, entry: Entry) -> u64 {
        let Entry { client, connection, op, session, request } = entry;
        let slot = client as usize;
        let local = self.clients[slot].server == server;
        let mut events = std::mem::take(&mut self.ensemble.events);
        let service = &mut self.ensemble.servers[server].service;
        let reply = match request {
            Request::OpenSession => {
                let zxid = service.open(session, local);
                Reply { zxid, result: Ok(Response::Opened(session)) }
            }
            _ => service.serve(session, &request, &mut events),
        };
        let children = match &reply.result {
            Ok(Response::Children(names)) => names.len(),
            _ => 0,
        };
        let extra = self.timing.per_child * children as u64 + self.timing.per_event * events.len() as u64;
        self.stats.notifications += events.len() as u64;
        let leaves = self.queue.now() + extra;
        // The event of a write of one's own comes before its reply (§2.2).
        for event in events.iter().filter(|event| event.session == session) {
            self.push(slot, leaves, Frame::Event(event.kind, event.path));
        }
        if local && self.clients[slot].connection == connection {
            let result = reply.result.map_err(|failure| failure.error);
            self.observer.served(self.queue.now(), slot, &request, &result);
            let opened = matches!(result, Ok(Response::Opened(_)));
            self.push(slot, leaves, Frame::Reply(op, result, matches!(request, Request::CloseSession)));
            if opened {
                self.push(slot, leaves, Frame::Session(SessionState::Connected));
            }
            if self.is_ordered(&request) {
                self.unblock(slot);
            }
        }
        for event in events.drain(..).filter(|event| event.session != session) {
            self.push(slot_of(event.session), leaves, Frame::Event(event.kind, event.path));
        }
        self.ensemble.events = events;
        extra
    }
}
