//! Does operations to an ensemble and to the reference beside it, and compares after each.

use std::collections::VecDeque;

use overtake_sim::ensemble::{Ensemble, Forwarded, LEADER, Quirks, Sent, Taken};
use overtake_sim::names::{Text, Who, slot_of, who};
use overtake_sim::zookeeper::{Reply, Request, ZooKeeper};

use super::log::{Entry, Log};

/// Servers of a run.
pub const SERVERS: u8 = 3;
/// Clients of a run; client `n` starts at server `n` modulo the servers.
pub const CLIENTS: usize = 4;

/// Something that happens.
#[derive(Clone, Debug)]
pub enum Op {
    /// A client sends a request.
    Send(usize, Request),
    /// The server of the client takes its oldest request, if it takes it now.
    Serve(usize),
    /// A client's connection breaks.
    Drop(usize),
    /// A client's connection breaks, and it tries a server at once.
    Move(usize, u8),
    /// A client tries a server; one whose session is over opens another there.
    Reconnect(usize, u8),
    /// The leader takes the oldest that a follower has forwarded.
    Accept(u8),
    /// A follower applies a commit.
    Commit(u8),
    /// The leader marks a client's session.
    Closing(usize),
    /// The leader commits the end of a marked session.
    End(usize),
    /// The deposed leader (follower 1) proposes the end of a client's session.
    Propose(usize),
    /// The leader changes.
    Elect,
    /// A follower falls out and comes back.
    Resync(u8),
}

/// A rule that is spoilt, so that the comparison has to notice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mutation {
    /// None.
    #[default]
    None,
    /// A follower claims the leader's zxid before it has the data.
    TrustsZxid,
    /// Clients tell a new server that they have seen nothing.
    ForgetsZxid,
    /// A read does not wait for the session's own writes.
    ReadsAtOnce,
    /// What a deposed leader proposes is taken.
    OldTerms,
}

struct Client {
    session: Who,
    opened: usize,
    server: u8,
    connected: bool,
    /// The last zxid of a reply.
    seen: u32,
    /// Sent and not taken.
    queue: VecDeque<Request>,
    /// Taken and not answered: the request, and its place in the list once the leader has accepted it.
    open: VecDeque<(Request, Option<usize>)>,
}

/// A run: the ensemble, the reference, and the clients.
pub struct Run {
    ensemble: Ensemble,
    log: Log,
    clients: Vec<Client>,
    mutation: Mutation,
}

/// What is wrong: the name of the invariant, and how.
pub type Wrong = (&'static str, String);

impl Run {
    /// The start: every client has a session that every server knows.
    pub fn new(mutation: Mutation) -> Self {
        let mut zookeeper = ZooKeeper::default();
        zookeeper.seed_node(Text::new("/p"), None, overtake_recipes::CreateMode::Persistent);
        let mut ensemble = Ensemble::new(zookeeper, usize::from(SERVERS) - 1);
        let clients = (0..CLIENTS).map(|slot| {
            let (session, server) = (who(slot, 1), slot as u8 % SERVERS);
            ensemble.seed_session(session, server);
            let (queue, open) = (VecDeque::new(), VecDeque::new());
            Client { session, opened: 1, server, connected: true, seen: 0, queue, open }
        });
        let clients = clients.collect();
        let log = Log::new(ensemble.at(LEADER).clone(), SERVERS.into());
        Self { ensemble, log, clients, mutation }
    }

    fn quirks(&self) -> Quirks {
        Quirks {
            deposed_leader: true,
            old_terms_are_taken: self.mutation == Mutation::OldTerms,
            resync_trusts_zxid: self.mutation == Mutation::TrustsZxid,
            ..Quirks::default()
        }
    }

    /// Does it, if it can happen now, and compares.
    ///
    /// # Errors
    /// An invariant that is broken.
    pub fn take(&mut self, op: &Op) -> Result<(), Wrong> {
        let mut out = Vec::new();
        match op {
            Op::Send(n, request) if self.clients[*n].connected && !self.closes(*n) => {
                self.clients[*n].queue.push_back(request.clone());
            }
            Op::Serve(n) => self.serve(*n, &mut out),
            Op::Drop(n) => self.disconnect(*n),
            Op::Move(n, server) => {
                self.disconnect(*n);
                self.reconnect(*n, *server, &mut out);
            }
            Op::Reconnect(n, server) if !self.clients[*n].connected => self.reconnect(*n, *server, &mut out),
            Op::Accept(server) if !self.follower(*server).forwarded.is_empty() => self.accept(*server, &mut out),
            Op::Commit(server) if !self.follower(*server).behind.is_empty() => {
                self.ensemble.commit(*server, &mut out);
                if !self.log.arrive(*server) {
                    return Err(("prefix", format!("follower {server} applies more than was committed")));
                }
            }
            Op::Closing(n) => self.ensemble.leader.begin_expiry(self.clients[*n].session),
            Op::End(n) if self.ensemble.leader.is_closing(self.clients[*n].session) => {
                self.log.commit(Entry::End { session: self.clients[*n].session, marked: true });
                self.ensemble.end_session(self.clients[*n].session, &mut out);
            }
            Op::Propose(n) if self.ensemble.leader.is_known(self.clients[*n].session) => {
                self.ensemble.propose_expiry(self.clients[*n].session)
            }
            Op::Elect => {
                self.ensemble.elect();
                (0..SERVERS).for_each(|server| self.log.catch_up(server));
                (0..CLIENTS).for_each(|n| self.hang_up(n));
            }
            Op::Resync(server) => {
                self.ensemble.resync(*server, self.quirks());
                self.log.catch_up(*server);
                let here = |n: &usize| self.clients[*n].server == *server;
                (0..CLIENTS).filter(here).collect::<Vec<_>>().into_iter().for_each(|n| self.hang_up(n));
            }
            _ => {}
        }
        self.hear(out)?;
        self.compare()
    }

    fn follower(&self, server: u8) -> &overtake_sim::ensemble::Follower {
        &self.ensemble.followers[server as usize - 1]
    }

    /// Whether the client has sent its closeSession, behind which it sends nothing.
    fn closes(&self, n: usize) -> bool {
        let client = &self.clients[n];
        client.queue.iter().chain(client.open.iter().map(|(request, _)| request)).any(|r| *r == Request::CloseSession)
    }

    fn serve(&mut self, n: usize, out: &mut Vec<Sent>) {
        let Client { session, server, .. } = self.clients[n];
        let Some(request) = self.clients[n].queue.front().cloned() else { return };
        if self.mutation != Mutation::ReadsAtOnce && !self.ensemble.takes(server, session, &request) {
            return;
        }
        self.clients[n].queue.pop_front();
        match self.ensemble.serve(server, session, &request, out, self.quirks()) {
            Taken::Refused => self.disconnect(n),
            Taken::Forwarded => self.clients[n].open.push_back((request, None)),
            Taken::Answered(reply) => {
                let mut place = None;
                if request.is_write() && request != Request::Sync {
                    place = Some(self.log.commit(Entry::Request(session, request.clone())));
                }
                self.clients[n].open.push_back((request, place));
                out.push(Sent::Reply(session, reply));
            }
        }
    }

    fn accept(&mut self, server: u8, out: &mut Vec<Sent>) {
        let first = self.follower(server).forwarded[0].clone();
        match (self.ensemble.accept(server, out, self.quirks()), first) {
            (Some((session, request, _)), Forwarded::Write { connected, .. }) => {
                let at = self.log.commit(Entry::Request(session, request));
                let mut open = self.clients[slot_of(session)].open.iter_mut();
                let waits =
                    |(request, place): &&mut (Request, Option<usize>)| place.is_none() && *request != Request::Sync;
                if connected && let Some(open) = open.find(waits) {
                    open.1 = Some(at);
                }
            }
            (None, Forwarded::Write { request: Request::Sync, .. }) => self.log.sync(server),
            // Only where the rule about old terms is spoilt.
            (None, Forwarded::Expiry { session }) if self.mutation == Mutation::OldTerms => {
                self.log.commit(Entry::End { session, marked: false });
            }
            _ => {}
        }
    }

    fn reconnect(&mut self, n: usize, server: u8, out: &mut Vec<Sent>) {
        let client = &mut self.clients[n];
        if !self.ensemble.leader.is_alive(client.session) {
            if client.opened < 3 {
                client.opened += 1;
                client.session = who(n, client.opened);
                (client.server, client.connected) = (server, true);
                client.queue.push_back(Request::OpenSession);
            }
            return;
        }
        let seen = if self.mutation == Mutation::ForgetsZxid { 0 } else { client.seen };
        if self.ensemble.reconnect(server, client.session, &[], seen, out).is_ok() {
            (client.server, client.connected) = (server, true);
        }
    }

    fn hang_up(&mut self, n: usize) {
        let client = &mut self.clients[n];
        client.connected = false;
        client.queue.clear();
        client.open.clear();
    }

    fn disconnect(&mut self, n: usize) {
        self.ensemble.disconnect_slot(slot_of(self.clients[n].session));
        self.hang_up(n);
    }

    /// Answers are what the list says, in the order of the requests, and never from before what was seen.
    fn hear(&mut self, out: Vec<Sent>) -> Result<(), Wrong> {
        for sent in out {
            match sent {
                Sent::Event(_) => {}
                Sent::Closed(session) => {
                    let client = &self.clients[slot_of(session)];
                    // The older of two connections may be meant.
                    if client.session == session && !self.ensemble.at(client.server).is_connected(session) {
                        self.hang_up(slot_of(session));
                    }
                }
                Sent::Reply(session, reply) => self.answered(slot_of(session), &reply)?,
            }
        }
        Ok(())
    }

    fn answered(&mut self, n: usize, reply: &Reply) -> Result<(), Wrong> {
        let Some((request, place)) = self.clients[n].open.pop_front() else {
            return Err(("order", format!("client {n} is answered and has asked nothing")));
        };
        let Client { session, server, seen, .. } = self.clients[n];
        let expected = match place {
            Some(at) => self.log.answer(at).clone(),
            None if request.is_write() && request != Request::Sync => {
                return Err(("order", format!("client {n} is answered before the leader has its {request}")));
            }
            None => self.log.read(server, session, &request),
        };
        if *reply != expected {
            return Err(("order", format!("client {n}: {request} is answered {reply:?}, not {expected:?}")));
        }
        if reply.zxid < seen {
            return Err(("single system image", format!("client {n} has seen {seen}, and reads at {}", reply.zxid)));
        }
        self.clients[n].seen = reply.zxid;
        if request == Request::CloseSession {
            self.hang_up(n);
        }
        Ok(())
    }

    fn compare(&self) -> Result<(), Wrong> {
        let leader = self.ensemble.at(LEADER);
        for (session, path) in self.log.live_ephemerals() {
            if leader.owner(path) != Some(session) {
                return Err(("ephemerals", format!("{path} of session {session} is gone")));
            }
        }
        for server in 0..SERVERS {
            let (at, expected) = (self.ensemble.at(server), self.log.at(server));
            let tree = |zookeeper: &ZooKeeper| {
                let mut nodes: Vec<_> = zookeeper
                    .nodes()
                    .map(|(path, stat)| (path.to_string(), format!("{:?} {stat:?}", zookeeper.data(path))))
                    .collect();
                nodes.sort();
                (zookeeper.last_zxid(), nodes, zookeeper.sessions().collect::<Vec<_>>())
            };
            if tree(at) != tree(expected) {
                let told = format!("server {server} has {:?}, the list gives {:?}", tree(at), tree(expected));
                return Err(("prefix", told));
            }
        }
        Ok(())
    }
}
