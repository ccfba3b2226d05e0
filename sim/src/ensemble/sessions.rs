//! Sessions of an ensemble: where they are, how they move, and how they end (§3.4-3.6).

use super::{Commit, Ensemble, Forwarded, LEADER, Sent};
use crate::names::{Text, Who};
use crate::zookeeper::{Refused, Request, WatchTable};

impl Ensemble {
    /// Opens a session that every server knows from the start, connected to the server.
    pub fn seed_session(&mut self, session: Who, server: u8) {
        self.open_everywhere(session, server);
        for follower in &mut self.followers {
            follower.behind.clear();
        }
        for n in 1..=self.followers.len() {
            let zookeeper = &mut self.followers[n - 1].zookeeper;
            zookeeper.open_session(session);
            if n != server as usize {
                zookeeper.disconnect(session);
            }
        }
    }

    /// Opens a session at the leader for a process that has just started; followers learn of it as of any commit.
    pub fn open_session(&mut self, session: Who) {
        self.open_everywhere(session, LEADER);
    }

    fn open_everywhere(&mut self, session: Who, server: u8) {
        self.leader.open_session(session);
        if server != LEADER {
            self.leader.disconnect(session);
            self.set_owner(session, server);
        }
        self.commit_to_followers(LEADER, &[], |_| Commit::Write {
            session,
            request: Request::OpenSession,
            connected: false,
        });
    }

    /// The server that the leader has recorded for the session (§3.6).
    pub fn owner(&self, session: Who) -> u8 {
        self.owners.iter().find(|o| o.0 == session).map_or(LEADER, |o| o.1)
    }

    pub(super) fn set_owner(&mut self, session: Who, server: u8) {
        self.forget_owner(session);
        if server != LEADER {
            let at = self.owners.partition_point(|o| o.0 < session);
            self.owners.insert(at, (session, server));
        }
    }

    pub(super) fn forget_owner(&mut self, session: Who) {
        self.owners.retain(|o| o.0 != session);
    }

    /// A client comes back to its session at a server (§2.4, §3.6): the leader is asked, and records the server.
    ///
    /// # Errors
    /// [`Refused::ClientAhead`]: this server has not seen what the client has, another may have.
    /// [`Refused::SessionOver`]: the session is closing or gone; an older connection is cut.
    pub fn reconnect(
        &mut self,
        server: u8,
        session: Who,
        watches: &[(WatchTable, Text)],
        last_zxid: u32,
        out: &mut Vec<Sent>,
    ) -> Result<(), Refused> {
        if self.is_behind(server, last_zxid) {
            return Err(Refused::ClientAhead);
        }
        if !self.leader.is_alive(session) {
            // An older connection of the session is cut all the same (Z91, Z99).
            self.leader.take_over(session);
            self.followers.iter_mut().for_each(|f| _ = f.zookeeper.take_over(session));
            return Err(Refused::SessionOver);
        }
        let mut events = Vec::new();
        let at = match server {
            LEADER => &mut self.leader,
            n => &mut self.followers[n as usize - 1].zookeeper,
        };
        if !at.is_known(session) {
            // This server has not applied the opening yet, so it has nothing to compare the client with.
            return Err(Refused::ClientAhead);
        }
        at.reconnect(session, watches, last_zxid, &mut events)?;
        self.set_owner(session, server);
        out.extend(events.into_iter().map(Sent::Event));
        Ok(())
    }

    /// A deposed leader, now the first follower, decides by its own clock that a session is over.
    pub fn propose_expiry(&mut self, session: Who) {
        self.followers[0].forwarded.push(Forwarded::Expiry { session });
    }

    /// A client asks a follower for its session and goes away before the answer: the follower's question to the leader is
    /// on its way all the same (§3.6, ZOOKEEPER-710).
    pub fn ask_and_leave(&mut self, server: u8, session: Who) {
        self.followers[server as usize - 1].forwarded.push(Forwarded::Revalidation { session });
    }

    /// The connection of the client at the slot is gone at whatever server had it.
    pub fn disconnect_slot(&mut self, slot: usize) {
        self.leader.disconnect_slot(slot);
        self.followers.iter_mut().for_each(|f| f.disconnect_slot(slot));
    }

    /// The leader commits the end of a session that it had marked (§3.4).
    pub fn end_session(&mut self, session: Who, out: &mut Vec<Sent>) {
        let connected = self.leader.is_connected(session);
        let mut events = Vec::new();
        self.leader.apply_close(session, &mut events);
        // Its own connection is closed in the same step (Z122).
        events.retain(|e| e.session != session);
        out.extend(events.into_iter().map(Sent::Event));
        if connected {
            out.push(Sent::Closed(session));
        }
        self.forget_owner(session);
        self.commit_to_followers(LEADER, &[], |_| Commit::End(session));
    }
}
