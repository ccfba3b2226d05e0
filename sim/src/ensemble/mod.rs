//! Several ZooKeeper servers, as one plain deterministic value.
//!
//! An [`Ensemble`] is a leader that has applied all that is committed, and followers that each still have some commits to
//! apply. A client is attached to one server: reads are answered there (and may be stale), writes are forwarded to the
//! leader, and the answer comes when the client's own server has applied the write (§1.1, §4.1). With no followers it is
//! a standalone server.
//!
//! What is simplified, on purpose:
//! - a write that the leader accepts is committed in the same step: proposals that a minority has acknowledged are not
//!   told apart from writes that have not reached the leader (both may vanish with it, Z142);
//! - the leader applies a commit before any follower does;
//! - an election is one step: when it is over every server has all that was committed.

mod commit;
mod follower;
mod quirks;
mod sessions;

pub use commit::{Commit, Sending};
pub use follower::{Follower, Forwarded};
pub use quirks::Quirks;

use smallvec::SmallVec;

use crate::names::{Name, Names, Text, Who, slot_of};
use crate::zookeeper::{Notification, Reply, Request, ZooKeeper};

/// The leader's place among the servers; followers are 1, 2 ….
pub const LEADER: u8 = 0;

/// What a server sends to a session's client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sent {
    /// A watch event.
    Event(Notification),
    /// The answer to the session's oldest open request. To whoever of the client holds the connection.
    Reply(Who, Reply),
    /// The server closes the session's connection.
    Closed(Who),
}

/// What became of a request that a server took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It is answered.
    Answered(Reply),
    /// It is on its way to the leader.
    Forwarded,
    /// The server closes the connection instead.
    Refused,
}

/// A standalone server, or a leader and its followers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ensemble {
    /// All that is committed, and the watches of the leader's own clients.
    pub leader: ZooKeeper,
    /// The others.
    pub followers: Vec<Follower>,
    /// Sessions that the leader has recorded at a follower (§3.6), by session.
    pub(super) owners: Vec<(Who, u8)>,
}

impl Ensemble {
    /// A leader with so many followers, all with the same tree and no sessions.
    ///
    /// # Panics
    /// With followers and a leader that does not track zxids.
    pub fn new(leader: ZooKeeper, followers: usize) -> Self {
        assert!(followers == 0 || leader.tracks_zxids(), "servers compare zxids, so a world of several tracks them");
        let follower = Follower { zookeeper: leader.clone(), behind: Vec::new(), forwarded: Vec::new() };
        Self { leader, followers: vec![follower; followers], owners: Vec::new() }
    }

    /// Number of servers.
    pub fn servers(&self) -> usize {
        1 + self.followers.len()
    }

    /// What the server has applied.
    pub fn at(&self, server: u8) -> &ZooKeeper {
        match server {
            LEADER => &self.leader,
            n => &self.followers[n as usize - 1].zookeeper,
        }
    }

    /// Whether the server has not applied all that a client has seen, so that it will not take it (§3.1, Z102).
    pub fn is_behind(&self, server: u8, last_zxid: u32) -> bool {
        self.at(server).last_zxid() < last_zxid
    }

    /// Whether the server takes the request now: a read waits for the session's own writes (FIFO, Z105).
    pub fn takes(&self, server: u8, session: Who, request: &Request) -> bool {
        server == LEADER || request.is_write() || !self.followers[server as usize - 1].owes(session)
    }

    /// A server takes a request of a session that is connected to it.
    pub fn serve(&mut self, server: u8, session: Who, request: &Request, out: &mut Vec<Sent>, quirks: Quirks) -> Taken {
        if server == LEADER {
            if self.owner(session) != LEADER {
                // The session has moved: the write has no effect (§3.6). Reads are still answered (Z116).
                if quirks.moved_keeps_connection && request.is_write() {
                    return Taken::Answered(self.leader.moved());
                } else if request.is_write() {
                    self.leader.disconnect(session);
                    return Taken::Refused;
                }
            }
            if *request == Request::OpenSession || self.leader.is_alive(session) {
                return Taken::Answered(self.decide(LEADER, session, request, out));
            }
            if quirks.close_checked_late && !self.leader.is_known(session) {
                let mut events = Vec::new();
                let reply = self.leader.apply_unchecked(session, request, &mut events);
                out.extend(events.into_iter().map(Sent::Event));
                return Taken::Answered(reply);
            }
            // Of a closing or forgotten session the server takes nothing: it closes the connection.
            return Taken::Refused;
        }
        let follower = &mut self.followers[server as usize - 1];
        if request.is_write() {
            follower.forwarded.push(Forwarded::Write { session, request: request.clone(), connected: true });
            return Taken::Forwarded;
        }
        // No server but the leader knows that a session is closing, so reads are answered until the end is applied.
        if !follower.zookeeper.is_alive(session) {
            return Taken::Refused;
        }
        let mut events = Vec::new();
        let reply = follower.zookeeper.apply(session, request, &mut events);
        out.extend(events.into_iter().map(Sent::Event));
        Taken::Answered(reply)
    }

    /// The leader takes the oldest request that the follower has forwarded. Answers what it has decided, if anything; the
    /// client is answered by its own server, later.
    pub fn accept(&mut self, server: u8, out: &mut Vec<Sent>, quirks: Quirks) -> Option<(Who, Request, Reply)> {
        match self.followers[server as usize - 1].forwarded.remove(0) {
            Forwarded::Revalidation { session } => self.set_owner(session, server),
            Forwarded::Expiry { session } => {
                if quirks.old_terms_are_taken {
                    self.end_session(session, out);
                }
            }
            Forwarded::Write { session, request: Request::Sync, connected } => {
                self.followers[server as usize - 1].behind.push(Sending::aside(Commit::Sync { session, connected }));
            }
            Forwarded::Write { session, request, connected } => {
                let opens = request == Request::OpenSession;
                let moved = !opens && self.owner(session) != server;
                if !opens && (moved || !self.leader.is_alive(session)) {
                    // Refused without an effect (§3.5, §3.6, Z140).
                    if moved && quirks.moved_keeps_connection {
                        self.followers[server as usize - 1]
                            .behind
                            .push(Sending::aside(Commit::Moved { session, connected }));
                    } else if connected {
                        self.followers[server as usize - 1].disconnect_slot(slot_of(session));
                        out.push(Sent::Closed(session));
                    }
                    return None;
                }
                if opens {
                    self.set_owner(session, server);
                }
                let reply = self.decide(if connected { server } else { LEADER }, session, &request, out);
                return Some((session, request, reply));
            }
        }
        None
    }

    /// The leader judges and commits; `answers` is the server that will answer (the leader: at once, or nobody).
    fn decide(&mut self, answers: u8, session: Who, request: &Request, out: &mut Vec<Sent>) -> Reply {
        let mut events = Vec::new();
        let mut counters =
            if self.followers.is_empty() { SmallVec::new() } else { commit::counters(&self.leader, request) };
        let reply = self.leader.apply(session, request, &mut events);
        if reply.result.is_err() {
            counters.clear();
        }
        out.extend(events.into_iter().map(Sent::Event));
        if *request == Request::OpenSession && self.owner(session) != LEADER {
            self.leader.disconnect(session);
        }
        if request.is_write() && *request != Request::Sync {
            let write = |connected| Commit::Write { session, request: request.clone(), connected };
            self.commit_to_followers(answers, &counters, write);
        }
        if *request == Request::CloseSession {
            self.forget_owner(session);
        }
        reply
    }

    fn commit_to_followers(&mut self, answers: u8, counters: &[(Text, i32)], commit: impl Fn(bool) -> Commit) {
        let zxid = self.leader.last_zxid();
        for (at, follower) in self.followers.iter_mut().enumerate() {
            follower.behind.push(Sending::applied(commit(at + 1 == answers as usize), zxid, counters));
        }
    }

    /// The sweeper takes an empty container away (§1.2).
    pub fn sweep(&mut self, at: usize, out: &mut Vec<Sent>) {
        let path = self.leader.sweepable()[at];
        let mut events = Vec::new();
        self.leader.sweep_container(path, &mut events);
        out.extend(events.into_iter().map(Sent::Event));
        self.commit_to_followers(LEADER, &[], |_| Commit::Sweep(path));
    }

    /// The leader changes (with one server: it restarts). Every server has all that was committed, what was on its way to the
    /// leader is lost, all connections and their watches are gone, and every session starts a fresh time-out: one that
    /// was marked closing is alive again (§3.4, Z118, Z120, Z142).
    pub fn elect(&mut self) {
        self.leader.restart();
        self.owners.clear();
        for follower in &mut self.followers {
            *follower = Follower { zookeeper: self.leader.replica(), behind: Vec::new(), forwarded: Vec::new() };
        }
    }

    /// A follower falls out and synchronises with the leader before it serves again: it has all that is committed then.
    /// Its connections and what it had forwarded are gone.
    pub fn resync(&mut self, server: u8, quirks: Quirks) {
        let mut zookeeper = self.leader.replica();
        let follower = &mut self.followers[server as usize - 1];
        if quirks.resync_trusts_zxid {
            // It has written down the last zxid before it had read what leads to it (ZOOKEEPER-2355).
            zookeeper = std::mem::take(follower).zookeeper;
            zookeeper.restart();
            zookeeper.claim_zxid(self.leader.last_zxid());
        }
        self.followers[server as usize - 1] = Follower { zookeeper, behind: Vec::new(), forwarded: Vec::new() };
    }

    /// Restores the order of everything inside after names were changed.
    pub fn normalise(&mut self) {
        self.leader.normalise();
        self.followers.iter_mut().for_each(|f| f.zookeeper.normalise());
        self.owners.sort_unstable();
    }
}

impl Names for Ensemble {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        self.leader.names(visit);
        self.followers.names(visit);
        for (session, _) in &mut self.owners {
            visit(Name::Who(session));
        }
    }
}
