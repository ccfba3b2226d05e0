//! Coming back to a session with another connection (§2.4, §3.6).

use overtake_recipes::{AddWatchMode, EventKind};

use super::ZooKeeper;
use super::protocol::{Notification, WatchTable};
use super::watches::{Mode, Table};
use crate::names::{Text, Who};

/// Why a server does not take a reconnecting client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refused {
    /// The session is closing, closed, expired, or never was: the answer has timeout 0 and id 0, and
    /// the client takes its session for expired (§3.1, Z94, Z98).
    SessionOver,
    /// The client has seen later transactions than this server: the socket is closed without an answer
    /// and the client tries another server (§3.1, Z102).
    ClientAhead,
}

impl ZooKeeper {
    /// A connect request that names the session reaches the server: an older connection of the session
    /// is closed at once, before anything else is checked, the password included (Z91, Z99). Answers
    /// whether there was one; its client is to be told that the connection is gone.
    pub fn take_over(&mut self, session: Who) -> bool {
        let older = self.is_connected(session);
        self.disconnect(session);
        older
    }

    /// Reconnects the session and replays the client's watch tables with the zxid of the last reply that
    /// the client has seen (§2.4, Z74-Z87). Events of changes that were missed go to `out`, which come
    /// before the answer; what has not happened is armed again. An empty list is a client that sends no
    /// `setWatches` (Z86).
    ///
    /// The tables are gone through in the order of [`WatchTable`], the paths of a table in the order
    /// given. An older connection is [taken over](Self::take_over).
    ///
    /// # Errors
    /// [`Refused`]; nothing is changed then, but that `SessionOver` cuts an older connection.
    ///
    /// # Panics
    /// When a zxid would have to be compared in a world that does not track them.
    pub fn reconnect(
        &mut self,
        session: Who,
        watches: &[(WatchTable, Text)],
        relative_zxid: u32,
        out: &mut Vec<Notification>,
    ) -> Result<(), Refused> {
        if relative_zxid > self.last_zxid {
            return Err(Refused::ClientAhead);
        }
        self.take_over(session);
        match self.session_mut(session) {
            Some(session) if !session.closing => session.connected = true,
            _ => return Err(Refused::SessionOver),
        }
        use WatchTable::{Child, Data, Exist, Persistent, Recursive};
        for table in [Data, Exist, Child, Persistent, Recursive] {
            for (_, path) in watches.iter().filter(|(t, _)| *t == table) {
                self.set_watch(session, table, *path, relative_zxid, out);
            }
        }
        Ok(())
    }

    /// One path of `setWatches2` (§2.4).
    fn set_watch(
        &mut self,
        session: Who,
        table: WatchTable,
        path: Text,
        relative_zxid: u32,
        out: &mut Vec<Notification>,
    ) {
        let node = self.node(path);
        let missed = match (table, node) {
            (WatchTable::Data | WatchTable::Child, None) => Some(EventKind::Deleted),
            (WatchTable::Data, Some(stat)) => {
                self.is_later(stat.mzxid, relative_zxid).then_some(EventKind::DataChanged)
            }
            (WatchTable::Child, Some(stat)) => {
                self.is_later(stat.pzxid, relative_zxid).then_some(EventKind::ChildrenChanged)
            }
            (WatchTable::Exist, Some(_)) => Some(EventKind::Created),
            (WatchTable::Exist, None) => None,
            // Whatever happened while away is lost (Z85).
            (WatchTable::Persistent | WatchTable::Recursive, _) => None,
        };
        if let Some(kind) = missed {
            out.push(Notification { session, kind, path });
            return;
        }
        match table {
            WatchTable::Data | WatchTable::Exist => {
                self.watch(session, path, Table::Data, Mode::OneShot);
            }
            WatchTable::Child => self.watch(session, path, Table::Child, Mode::OneShot),
            WatchTable::Persistent => self.add_watch(session, path, AddWatchMode::Persistent),
            WatchTable::Recursive => {
                self.add_watch(session, path, AddWatchMode::PersistentRecursive);
            }
        }
    }

    fn is_later(&self, zxid: u32, than: u32) -> bool {
        assert!(
            self.config.track_zxids,
            "a client reconnects with data or child watches, which compares zxids, but this world does \
             not track them: set `track_zxids`"
        );
        zxid > than
    }
}
