//! Sessions: opening, the three stages of their end, and what goes with them (§3).

use super::protocol::Notification;
use super::tree::Kind;
use super::{ZooKeeper, order};
use crate::names::{Text, Who, slot_of};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Session {
    pub(super) id: Who,
    /// Marked for its end: every request is refused, nothing is deleted yet (§3.4).
    pub(super) closing: bool,
    /// Whether a connection serves it.
    pub(super) connected: bool,
}

impl ZooKeeper {
    pub(super) fn session(&self, id: Who) -> Option<&Session> {
        self.sessions.iter().find(|s| s.id == id)
    }

    pub(super) fn session_mut(&mut self, id: Who) -> Option<&mut Session> {
        self.sessions.iter_mut().find(|s| s.id == id)
    }

    /// Opens a session, connected, under an id that the caller picks. Costs one zxid, which is answered
    /// (§1.1, §3.1, Z103).
    ///
    /// # Panics
    /// When there is such a session.
    pub fn open_session(&mut self, session: Who) -> u32 {
        let at = match self.sessions.binary_search_by_key(&session, |s| s.id) {
            Ok(_) => panic!("session {session} is open already"),
            Err(at) => at,
        };
        self.sessions.insert(at, Session { id: session, closing: false, connected: true });
        self.next_zxid()
    }

    /// Whether requests of the session are served.
    pub fn is_alive(&self, session: Who) -> bool {
        self.session(session).is_some_and(|s| !s.closing)
    }

    /// Whether the session is doomed though its ephemeral nodes are still there (§3.4).
    pub fn is_closing(&self, session: Who) -> bool {
        self.session(session).is_some_and(|s| s.closing)
    }

    /// Whether the session is alive or closing.
    pub fn is_known(&self, session: Who) -> bool {
        self.session(session).is_some()
    }

    /// Whether a connection serves the session: only such a session holds watches.
    pub fn is_connected(&self, session: Who) -> bool {
        self.session(session).is_some_and(|s| s.connected)
    }

    /// The ids of all sessions that are alive or closing.
    pub fn sessions(&self) -> impl Iterator<Item = Who> + '_ {
        self.sessions.iter().map(|s| s.id)
    }

    /// First stage of an expiry (§3.4): the session is marked closing. From here on every request of it
    /// is refused; its nodes stay visible and its watches fire until [`apply_close`](Self::apply_close).
    /// Does nothing to a session that is closing or gone.
    pub fn begin_expiry(&mut self, session: Who) {
        if let Some(session) = self.session_mut(session) {
            session.closing = true;
        }
    }

    /// Last stage of an expiry (§3.4): the closeSession transaction. The session is removed and all its
    /// ephemeral nodes go with **one** zxid, in the order of their sequence numbers, each firing its
    /// watches (Z73, Z97). Nothing is delivered to the session itself, whose connection is closed in
    /// the same step (Z122). Does nothing to a session that is gone.
    pub fn apply_close(&mut self, session: Who, out: &mut Vec<Notification>) {
        if self.is_known(session) {
            self.forget_watches(session);
            self.close(session, out);
        }
    }

    /// The closeSession transaction. The session's own watches still fire (Z104).
    pub(super) fn close(&mut self, session: Who, out: &mut Vec<Notification>) {
        let zxid = self.next_zxid();
        let mut owned: Vec<Text> =
            self.nodes.iter().filter(|node| node.kind == Kind::Ephemeral(session)).map(|node| node.path).collect();
        owned.sort_unstable_by(|a, b| order::listed(*a, *b));
        for path in owned {
            let at = self.find(path).expect("an ephemeral node has no children");
            self.remove(at, zxid, out);
        }
        self.forget_watches(session);
        self.sessions.retain(|s| s.id != session);
    }

    /// Whatever connection the client at the slot has is gone, as in [`disconnect`](Self::disconnect).
    pub fn disconnect_slot(&mut self, slot: usize) {
        let here = |s: &Session| s.connected && slot_of(s.id) == slot;
        while let Some(session) = self.sessions.iter().find(|s| here(s)).map(|s| s.id) {
            self.disconnect(session);
        }
    }

    /// The connection is gone: the server forgets its watches (§2.4, Z86). The session and its
    /// ephemeral nodes stay (Z132).
    pub fn disconnect(&mut self, session: Who) {
        if let Some(session) = self.session_mut(session) {
            session.connected = false;
        }
        self.forget_watches(session);
    }
}
