//! What the leader has committed, on its way into a follower's tree.

use super::{Ensemble, Sent};
use crate::names::{Name, Names, Text, Who, slot_of};
use crate::zookeeper::{Reply, Request, Response};

/// A transaction, or a place in the order of transactions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Commit {
    /// A request that the leader has judged; one that failed costs a zxid too. A follower that applies the same
    /// requests in the same order comes to the same results.
    Write {
        /// Whose.
        session: Who,
        /// Which.
        request: Request,
        /// This server has the connection over which it came, and answers.
        connected: bool,
    },
    /// The leader has ended the session.
    End(Who),
    /// The leader has swept a container.
    Sweep(Text),
    /// Everything that the leader had proposed when the sync reached it is in front of this (§1.8).
    Sync {
        /// Whose.
        session: Who,
        /// The connection over which it came is still there.
        connected: bool,
    },
    /// A write of a session that has moved, which the faulty leader of ZOOKEEPER-710 answers. Only for the server from
    /// which it came.
    Moved {
        /// Whose.
        session: Who,
        /// The connection over which it came is still there.
        connected: bool,
    },
}

impl Commit {
    /// The session that gets an answer when this is applied.
    pub(super) fn answers(&self) -> Option<Who> {
        match self {
            Commit::Write { session, connected: true, .. }
            | Commit::Sync { session, connected: true }
            | Commit::Moved { session, connected: true } => Some(*session),
            _ => None,
        }
    }

    pub(super) fn disconnect_slot(&mut self, slot: usize) {
        if let Commit::Write { session, connected, .. }
        | Commit::Sync { session, connected }
        | Commit::Moved { session, connected } = self
            && slot_of(*session) == slot
        {
            *connected = false;
        }
    }
}

impl Ensemble {
    /// The follower applies the oldest commit that it has not applied. Its own clients' watches fire, and the client that
    /// waits for this commit here is answered.
    pub fn commit(&mut self, server: u8, out: &mut Vec<Sent>) {
        let follower = &mut self.followers[server as usize - 1];
        let zookeeper = &mut follower.zookeeper;
        let mut events = Vec::new();
        match follower.behind.remove(0) {
            Commit::Write { session, request: Request::OpenSession, connected } => {
                let zxid = zookeeper.open_session(session);
                if connected {
                    out.push(Sent::Reply(session, Reply { zxid, result: Ok(Response::Opened(session)) }));
                } else {
                    zookeeper.disconnect(session);
                }
            }
            Commit::Write { session, request, connected } => {
                let reply = zookeeper.apply(session, &request, &mut events);
                // Events come before the answer to the write that caused them (§2.2).
                out.extend(events.into_iter().map(Sent::Event));
                if connected {
                    out.push(Sent::Reply(session, reply));
                }
            }
            Commit::End(session) => {
                let connected = zookeeper.is_connected(session);
                zookeeper.apply_close(session, &mut events);
                events.retain(|e| e.session != session);
                out.extend(events.into_iter().map(Sent::Event));
                if connected {
                    follower.disconnect_slot(slot_of(session));
                    out.push(Sent::Closed(session));
                }
            }
            Commit::Sweep(path) => {
                zookeeper.sweep_container(path, &mut events);
                out.extend(events.into_iter().map(Sent::Event));
            }
            Commit::Sync { session, connected } => {
                if connected {
                    let reply = Reply { zxid: zookeeper.last_zxid(), result: Ok(Response::Done) };
                    out.push(Sent::Reply(session, reply));
                }
            }
            Commit::Moved { session, connected } => {
                if connected {
                    out.push(Sent::Reply(session, zookeeper.moved()));
                }
            }
        }
    }
}

impl Names for Commit {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        match self {
            Commit::Write { session, request, .. } => {
                visit(Name::Who(session));
                request.names(visit);
            }
            Commit::End(session) | Commit::Sync { session, .. } | Commit::Moved { session, .. } => {
                visit(Name::Who(session))
            }
            Commit::Sweep(path) => path.names(visit),
        }
    }
}
