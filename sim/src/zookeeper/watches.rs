//! The watch tables (§2).

use std::cmp::Ordering;

use overtake_recipes::{AddWatchMode, EventKind};

use super::protocol::{Notification, WatchTable};
use super::{ZooKeeper, order};
use crate::names::{Name, Names, Text, Who};

/// The server's two tables (§2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Table {
    /// Filled by `exists`, `getData` and `addWatch`.
    Data,
    /// Filled by `getChildren` and `addWatch`.
    Child,
}

/// How a watch fires. 3.8 keeps one mode for each connection, path and table: the last one wins
/// (§2.6, Z70).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Mode {
    OneShot,
    Persistent,
    Recursive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Watch {
    pub(super) session: Who,
    pub(super) path: Text,
    pub(super) table: Table,
    pub(super) mode: Mode,
}

impl Watch {
    pub(super) fn order(a: &Self, b: &Self) -> Ordering {
        (a.session.cmp(&b.session)).then_with(|| order::stored(a.path, b.path)).then(a.table.cmp(&b.table))
    }
}

impl Names for Watch {
    fn names(&mut self, visit: &mut dyn FnMut(Name<'_>)) {
        visit(Name::Who(&mut self.session));
        self.path.names(visit);
    }
}

impl ZooKeeper {
    /// The watches that the server holds, by session. A persistent watch is listed once although it
    /// stands in both tables; a one-shot watch of the data table is an `Exist` watch while its node is
    /// missing.
    pub fn watches(&self) -> impl Iterator<Item = (Who, WatchTable, Text)> + '_ {
        self.watches.iter().filter_map(|watch| {
            let table = match (watch.mode, watch.table) {
                (Mode::OneShot, Table::Data) if self.find(watch.path).is_none() => WatchTable::Exist,
                (Mode::OneShot, Table::Data) => WatchTable::Data,
                (Mode::OneShot, Table::Child) => WatchTable::Child,
                (_, Table::Child) if self.has_twin(watch) => return None,
                (Mode::Persistent, _) => WatchTable::Persistent,
                (Mode::Recursive, _) => WatchTable::Recursive,
            };
            Some((watch.session, table, watch.path))
        })
    }

    /// Whether the data table holds the same watch.
    fn has_twin(&self, watch: &Watch) -> bool {
        let twin = Watch { table: Table::Data, ..*watch };
        self.watches.contains(&twin)
    }

    /// Registers a watch, if the session has a connection to hold it. The mode replaces that of a watch
    /// that is already there (Z59, Z70).
    pub(super) fn watch(&mut self, session: Who, path: Text, table: Table, mode: Mode) {
        if !self.is_connected(session) {
            return;
        }
        let watch = Watch { session, path, table, mode };
        match self.watches.binary_search_by(|w| Watch::order(w, &watch)) {
            Ok(at) => self.watches[at] = watch,
            Err(at) => self.watches.insert(at, watch),
        }
    }

    /// `addWatch` (§2.6): both tables, for recursive watches too.
    pub(super) fn add_watch(&mut self, session: Who, path: Text, mode: AddWatchMode) {
        let mode = match mode {
            AddWatchMode::Persistent => Mode::Persistent,
            AddWatchMode::PersistentRecursive => Mode::Recursive,
        };
        self.watch(session, path, Table::Child, mode);
        self.watch(session, path, Table::Data, mode);
    }

    /// `removeWatches` with type Any. Answers whether there was one (Z66).
    pub(super) fn remove_watches(&mut self, session: Who, path: Text) -> bool {
        let before = self.watches.len();
        self.watches.retain(|w| w.session != session || w.path != path);
        self.watches.len() < before
    }

    pub(super) fn forget_watches(&mut self, session: Who) {
        self.watches.retain(|w| w.session != session);
    }

    /// Fires the watches of one table (§2.1). A session that has an event behind `since` in `out` gets no
    /// second one, which is how a delete tells a session once that has watches in both tables (Z60).
    fn fire(&mut self, table: Table, path: Text, kind: EventKind, since: usize, out: &mut Vec<Notification>) {
        self.watches.retain(|watch| {
            if watch.table != table {
                return true;
            }
            let here = watch.path == path;
            let hit = match watch.mode {
                Mode::OneShot | Mode::Persistent => here,
                // Never ChildrenChanged (Z68).
                Mode::Recursive => kind != EventKind::ChildrenChanged && (here || order::is_below(path, watch.path)),
            };
            if !hit {
                return true;
            }
            if out[since..].iter().all(|n| n.session != watch.session) {
                out.push(Notification { session: watch.session, kind, path });
            }
            watch.mode != Mode::OneShot
        });
    }

    /// The events of a create: the node first, then its parent (§2.1, Z62).
    pub(super) fn fire_created(&mut self, path: Text, parent: Text, out: &mut Vec<Notification>) {
        self.fire(Table::Data, path, EventKind::Created, out.len(), out);
        self.fire_children(parent, out);
    }

    /// The events of a delete: the node first, then its parent (§2.1, Z61).
    pub(super) fn fire_deleted(&mut self, path: Text, parent: Text, out: &mut Vec<Notification>) {
        let since = out.len();
        self.fire(Table::Data, path, EventKind::Deleted, since, out);
        self.fire(Table::Child, path, EventKind::Deleted, since, out);
        self.fire_children(parent, out);
    }

    /// The event of a change of data.
    pub(super) fn fire_data(&mut self, path: Text, out: &mut Vec<Notification>) {
        self.fire(Table::Data, path, EventKind::DataChanged, out.len(), out);
    }

    fn fire_children(&mut self, parent: Text, out: &mut Vec<Notification>) {
        self.fire(Table::Child, parent, EventKind::ChildrenChanged, out.len(), out);
    }
}
