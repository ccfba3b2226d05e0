//! A server that is not the leader.

use super::commit::Sending;
use crate::names::{Name, Names, Who, slot_of};
use crate::zookeeper::{Request, ZooKeeper};

/// Something that a follower has sent to the leader and that has not arrived.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Forwarded {
    /// A request of a client.
    Write {
        /// Whose.
        session: Who,
        /// Which.
        request: Request,
        /// The connection that it came over is still there, so that it will be answered.
        connected: bool,
    },
    /// The end of a session, proposed by a server that was the leader and does not know yet that it is no more.
    Expiry {
        /// Whose.
        session: Who,
    },
    /// The question whether a session may be served here, of a client that has not waited for the answer (§3.6).
    Revalidation {
        /// Whose.
        session: Who,
    },
}

/// A server that is not the leader.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Follower {
    /// What it has applied, with the connections and watches of its own clients.
    pub zookeeper: ZooKeeper,
    /// Commits that it has still to apply, the oldest first.
    pub behind: Vec<Sending>,
    /// On its way to the leader, the oldest first.
    pub forwarded: Vec<Forwarded>,
}

impl Follower {
    /// Whether an answer to a write of the session is still to come.
    pub(super) fn owes(&self, session: Who) -> bool {
        let forwarded = self.forwarded.iter().any(|f| match f {
            Forwarded::Write { session: s, connected, .. } => *connected && *s == session,
            Forwarded::Revalidation { .. } | Forwarded::Expiry { .. } => false,
        });
        forwarded || self.behind.iter().any(|b| b.commit.answers() == Some(session))
    }

    /// The connection of the client at the slot is gone: nobody waits for its answers, its watches are forgotten.
    pub(super) fn disconnect_slot(&mut self, slot: usize) {
        for forwarded in &mut self.forwarded {
            if let Forwarded::Write { session, connected, .. } = forwarded
                && slot_of(*session) == slot
            {
                *connected = false;
            }
        }
        for behind in &mut self.behind {
            behind.commit.disconnect_slot(slot);
        }
        self.zookeeper.disconnect_slot(slot);
    }
}

impl Names for Follower {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        self.zookeeper.names(visit);
        self.behind.names(visit);
        self.forwarded.names(visit);
    }
}

impl Names for Forwarded {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        match self {
            Forwarded::Write { session, request, .. } => {
                visit(Name::Who(session));
                request.names(visit);
            }
            Forwarded::Revalidation { session } | Forwarded::Expiry { session } => visit(Name::Who(session)),
        }
    }
}
