//! What the leader has committed, on its way into a follower's tree.

use smallvec::SmallVec;

use super::{Ensemble, Sent};
use crate::names::{Name, Names, Text, Who, slot_of};
use crate::zookeeper::{Reply, Request, Response, Write, ZooKeeper};

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

/// A commit on its way, with the numbers that the leader has given to it. A follower that applies the same requests comes to
/// the same numbers by itself; but where a world's numbers are replaced by their ranks, those that the leader has forgotten
/// again have to be kept while a follower has still to come to them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sending {
    /// What to apply.
    pub commit: Commit,
    /// The leader's zxid when it was applied; 0 where it costs none.
    zxid: u32,
    /// For each node that is created below a node whose counter is a name: the parent, and the counter before.
    counters: SmallVec<[(Text, i32); 1]>,
}

impl Sending {
    /// For one server only, without a zxid.
    pub(super) fn aside(commit: Commit) -> Self {
        Self { commit, zxid: 0, counters: SmallVec::new() }
    }

    /// For every server: what the leader has applied, which stands at `zxid` now.
    pub(super) fn applied(commit: Commit, zxid: u32, counters: &[(Text, i32)]) -> Self {
        Self { commit, zxid, counters: SmallVec::from_slice(counters) }
    }

    /// The server goes on from the leader's numbers.
    fn resume(&self, zookeeper: &mut ZooKeeper) {
        if self.zxid > zookeeper.last_zxid() {
            zookeeper.claim_zxid(self.zxid - 1);
        }
        // The others of a multi follow.
        let first = |(at, (parent, _)): &(usize, &(Text, i32))| self.counters[..*at].iter().all(|(p, _)| p != parent);
        for (_, (parent, counter)) in self.counters.iter().enumerate().filter(first) {
            if zookeeper.node(*parent).is_some() {
                zookeeper.set_counter(*parent, *counter);
            }
        }
    }
}

/// The counters from which a request that is about to be applied takes names, in the order of its members.
pub(super) fn counters(zookeeper: &ZooKeeper, request: &Request) -> SmallVec<[(Text, i32); 1]> {
    let writes = match request {
        Request::Write(write) => std::slice::from_ref(write),
        Request::Multi(writes) => writes,
        _ => &[],
    };
    let creates = || {
        writes.iter().filter_map(|write| match write {
            Write::Create { path, mode, .. } => Some((path.parent()?, *mode)),
            _ => None,
        })
    };
    // What comes before a sequential node in a multi counts too, so that a follower begins where the leader did.
    let named = |parent: Text| {
        zookeeper.counter_is_name(parent) || creates().any(|(p, mode)| p == parent && mode.is_sequential())
    };
    let mut counters: SmallVec<[(Text, i32); 1]> = SmallVec::new();
    for (parent, _) in creates().filter(|(parent, _)| named(*parent)) {
        let ahead = counters.iter().filter(|(p, _)| *p == parent).count() as i32;
        counters.push((parent, zookeeper.counter(parent).wrapping_add(ahead)));
    }
    counters
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
        let sending = follower.behind.remove(0);
        sending.resume(zookeeper);
        match sending.commit {
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

impl Names for Sending {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        self.commit.names(visit);
        visit(Name::Zxid(&mut self.zxid));
        for (parent, counter) in &mut self.counters {
            parent.names(visit);
            visit(Name::Seq(counter));
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
